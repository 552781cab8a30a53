#include "apps/serve/models/model_host.hpp"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <new>

#include "apps/system/plain_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

using State = Standing::State;
using std::chrono::milliseconds;

constexpr size_t most_accepted_open = 4;  // each has processes of its own
constexpr size_t most_deliveries = 16;
constexpr size_t longest_sentence = 600;
constexpr size_t longest_name = 80;

// Changes when the file does.
std::string stamp_of(const std::string& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  const auto time = std::filesystem::last_write_time(path, ignored).time_since_epoch().count();
  return std::to_string(size) + " " + std::to_string(time);
}

Standing failed(const std::string& sentence, bool is_saved = true) {
  return {.state = State::failed,
          .session = nullptr,
          .error = plain_text(sentence, longest_sentence),
          .is_saved = is_saved};
}

}  // namespace

ModelHost::ModelHost(Options options)
    : options_(std::move(options)), accepts_(options_.shelf.has_value()), shelf_(options_.shelf) {
  if (shelf_) accepted_ = shelf_->names();
  loader_ = std::thread([this] { run(); });
}

ModelHost::~ModelHost() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  loader_.join();
}

void ModelHost::retire_locked(Entry& entry) {
  if (entry.standing.session) work_.retired.push_back(std::move(entry.standing.session));
}

template <class Gone>
void ModelHost::drop_locked(const Gone& gone) {
  for (auto each = entries_.begin(); each != entries_.end();) {
    const bool goes = gone(each->first, each->second);
    if (goes) retire_locked(each->second);
    each = goes ? entries_.erase(each) : std::next(each);
  }
}

void ModelHost::serve(std::vector<ServedModel> models, const std::vector<Use>& eager) {
  {
    const std::lock_guard lock(mutex_);
    served_ = std::move(models);
    eager_ = eager;
    drop_locked([&](const Key& key, const Entry& entry) {
      const auto& [source, use] = key;
      const bool is_named =
          std::ranges::find(served_, source.path, &ServedModel::path) != served_.end();
      const bool is_used = std::ranges::find(eager_, use) != eager_.end();
      if (entry.standing.state == State::failed) return true;
      return !source.hash && !(is_named && is_used && entry.stamp == stamp_of(source.path));
    });
  }
  changed_.notify_all();
  keep();
}

void ModelHost::keep() {
  const std::lock_guard lock(mutex_);
  for (const ServedModel& model : served_)
    for (const Use use : eager_) look_locked({Source{.path = model.path}, use});
  changed_.notify_all();
}

std::vector<std::string> ModelHost::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const ServedModel& model : served_) names.push_back(model.name);
  return names;
}

std::optional<std::string> ModelHost::only_name() const {
  const std::lock_guard lock(mutex_);
  if (served_.size() + accepted_.size() != 1) return std::nullopt;
  return served_.empty() ? accepted_.begin()->first : served_.front().name;
}

Standing ModelHost::look(const std::string& name, Use use) {
  const std::lock_guard lock(mutex_);
  const auto model = std::ranges::find(served_, name, &ServedModel::name);
  return model == served_.end() ? Standing{} : look_locked({Source{.path = model->path}, use});
}

Standing ModelHost::look_for_peer(const std::string& name, bool was_sent) {
  const std::lock_guard lock(mutex_);
  const auto delivery = deliveries_.find(name);
  if (delivery != deliveries_.end() && (was_sent || delivery->second.state == State::loading))
    return delivery->second;
  const auto model =
      std::ranges::find_if(served_, [&](const ServedModel& each) { return each.is_called(name); });
  if (model != served_.end()) return look_locked({Source{.path = model->path}, Use::pictures});
  const auto accepted = accepted_.find(name);
  if (accepted == accepted_.end()) return {};
  return look_locked({Source{.hash = accepted->second}, Use::pictures});
}

bool ModelHost::may_try_again(const Key& key, const Entry& entry, Instant now) const {
  if (entry.standing.state != State::failed || now - entry.failed_at < options_.retry_after)
    return false;
  if (!entry.is_bad_input || now - entry.failed_at >= options_.retry_wrong_after) return true;
  return !key.first.hash && entry.stamp != stamp_of(key.first.path);
}

// Begins to load what is not there, and what failed a while ago.
Standing ModelHost::look_locked(const Key& key) {
  const auto now = std::chrono::steady_clock::now();
  auto found = entries_.find(key);
  const bool is_old_failure = found != entries_.end() && may_try_again(key, found->second, now);
  if (is_old_failure) entries_.erase(found);
  if (is_old_failure || found == entries_.end()) {
    found = entries_.emplace(key, Entry{.number = next_number_++}).first;
    if (!key.first.hash) found->second.stamp = stamp_of(key.first.path);
    work_.to_load.push_back({key, found->second.number});
    changed_.notify_all();
  }
  found->second.asked_at = now;
  return found->second.standing;
}

// Makes room for one more accepted model: closes the one that was asked for longest ago.
void ModelHost::make_room_locked() {
  std::vector<std::map<Key, Entry>::iterator> open;
  for (auto each = entries_.begin(); each != entries_.end(); ++each)
    if (each->first.first.hash && each->second.standing.state == State::ready) open.push_back(each);
  if (open.size() < most_accepted_open) return;
  const auto oldest =
      *std::ranges::min_element(open, {}, [](const auto& each) { return each->second.asked_at; });
  retire_locked(oldest->second);
  entries_.erase(oldest);
}

std::string ModelHost::name_locked(const Source& source) const {
  for (const ServedModel& model : served_)
    if (!source.hash && model.path == source.path) return model.name;
  for (const auto& [name, hash] : accepted_)
    if (source.hash == hash) return name;
  return source.path;
}

void ModelHost::has_ended(const Session& session, const std::string& sentence) {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(entries_, [&](const auto& entry) {
      return entry.second.standing.session.get() == &session;
    });
    if (found == entries_.end()) return;  // somebody else said so before
    name = name_locked(found->first.first);
    retire_locked(found->second);
    found->second.standing = failed(sentence);
    found->second.standing.is_tried_again = true;
    found->second.failed_at = std::chrono::steady_clock::now();
  }
  note_to(options_.log, LogLevel::warning,
          "the model '" + plain_text(name, longest_name) +
              "' is opened again soon: " + plain_text(sentence, longest_sentence));
  changed_.notify_all();
}

bool ModelHost::accept(const std::string& name, std::vector<std::byte> bytes, Share share) {
  assert(accepts_);
  const std::lock_guard lock(mutex_);
  if (work_.to_store.size() >= most_deliveries) return false;
  std::erase_if(deliveries_, [](const auto& each) { return each.second.state == State::failed; });
  deliveries_[name] = {.state = State::loading};
  work_.to_store.push_back({name, std::move(bytes), std::move(share)});
  changed_.notify_all();
  return true;
}

void ModelHost::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (!work_.to_store.empty()) {
      Delivery delivery = std::move(work_.to_store.front());
      work_.to_store.pop_front();
      lock.unlock();
      store(std::move(delivery));
      lock.lock();
    } else if (!work_.to_load.empty()) {
      const Load next = work_.to_load.front();
      work_.to_load.pop_front();
      const bool is_wanted = entry_locked(next) != nullptr;
      lock.unlock();
      free_retired();  // what they have in a cluster may be needed
      if (is_wanted) load(next);
      lock.lock();
    } else {
      changed_.wait_for(lock, milliseconds(work_.retired.empty() ? 60'000 : 100));
    }
    lock.unlock();
    free_retired();
    lock.lock();
  }
}

Result<Hash> ModelHost::put(const Delivery& delivery) {
  try {
    return shelf_->put(delivery.name, delivery.bytes);
  } catch (const std::bad_alloc&) {
    return Error{"there is no memory left to store a model"};
  }
}

void ModelHost::store(Delivery delivery) {
  const auto hash = put(delivery);
  {
    const std::lock_guard lock(mutex_);
    if (hash) {
      accepted_[delivery.name] = *hash;
      deliveries_.erase(delivery.name);
      look_locked({Source{.hash = *hash}, Use::pictures});
      drop_locked([&](const Key& key, const Entry&) {  // what its name meant before
        return key.first.hash && std::ranges::none_of(accepted_, [&](const auto& accepted) {
                 return accepted.second == *key.first.hash;
               });
      });
    } else {
      deliveries_[delivery.name] = failed(hash.error(), false);
    }
  }
  if (!hash) note_to(options_.log, LogLevel::warning, plain_text(hash.error(), longest_sentence));
  tell();
}

ModelHost::Entry* ModelHost::entry_locked(const Load& load) {
  const auto found = entries_.find(load.key);
  return found == entries_.end() || found->second.number != load.number ? nullptr : &found->second;
}

Session::Opened ModelHost::open(const Key& key) const {
  const auto& [source, use] = key;
  try {
    std::vector<std::byte> bytes;
    if (source.hash) {
      auto read = shelf_->bytes(*source.hash);
      if (!read) return {{SHINGLE_RUNTIME, read.error()}};
      bytes = std::move(*read);
    }
    return Session::open(options_.session, {.path = source.path, .bytes = bytes}, use,
                         options_.log);
  } catch (const std::bad_alloc&) {
    return {{SHINGLE_NO_MEMORY, "there is no memory left to load a model"}};
  }
}

void ModelHost::load(const Load& load) {
  Session::Opened opened = open(load.key);
  {
    const std::lock_guard lock(mutex_);
    Entry* const entry = entry_locked(load);
    if (entry == nullptr) {
      if (opened.session) work_.retired.push_back(std::move(opened.session));
      return;
    }
    entry->is_bad_input = opened.end.code == SHINGLE_BAD_INPUT;
    entry->failed_at = std::chrono::steady_clock::now();
    if (opened.end.ok() && load.key.first.hash) make_room_locked();
    entry->standing = opened.end.ok()
                          ? Standing{.state = State::ready, .session = std::move(opened.session)}
                          : failed(opened.end.sentence);
    entry->standing.is_tried_again = !opened.end.ok() && !entry->is_bad_input;
  }
  if (!opened.end.ok())
    note_to(options_.log, LogLevel::warning,
            "a model was not loaded: " + plain_text(opened.end.sentence, longest_sentence));
  tell();
}

void ModelHost::tell() {
  const std::lock_guard lock(calling_);
  if (on_change_) on_change_();
}

// A session closes with its last holder, which may take a second: that is this thread.
void ModelHost::free_retired() {
  std::vector<std::shared_ptr<const Session>> unused;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(work_.retired, [&](auto& each) {
      if (each.use_count() > 1) return false;
      unused.push_back(std::move(each));
      return true;
    });
  }
}

}  // namespace shingle::serve
