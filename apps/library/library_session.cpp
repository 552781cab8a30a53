#include "apps/library/library_session.hpp"

#include <csignal>
#include <numeric>

#include "apps/library/last_error.hpp"
#include "apps/library/log_call.hpp"
#include "apps/library/session_place.hpp"
#include "devices/weights/torn_pages.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

// While requests may come: RequestDesk cannot wake who waits for the stream.
constexpr milliseconds wait_for_outputs{2};
constexpr milliseconds wait_without_room{20};
constexpr milliseconds wait_for_requests{100};

constexpr std::chrono::milliseconds look_again_at_exit{20};
constexpr int most_looks_at_exit = 100;
constexpr std::chrono::seconds longest_end_at_exit{10};

std::atomic<bool> process_ends{false};
thread_local const LibrarySession* of_this_thread = nullptr;

// Signals are for the program's threads.
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

RequestEnd closed() { return {SHINGLE_CLOSED, "the session is closed"}; }

}  // namespace

LibrarySession::LibrarySession(SessionSettings settings)
    : settings_(std::move(settings)),
      desk_(std::make_shared<RequestDesk>(settings_.stream.queue)) {}

RequestEnd LibrarySession::open() {
  leave_bus_errors_alone();
  Opening opening;
  std::future<RequestEnd> opened = opening.promise.get_future();
  {
    const std::lock_guard lock(closing_);
    if (process_ends) return closed();
    callback_thread_ = std::thread([this] { tell(); });
    session_thread_ = std::thread([this, mine = std::move(opening)]() mutable {
      run(mine);
      end_of_thread_.set_value();
    });
  }
  return opened.get();
}

LibrarySession::~LibrarySession() { close(); }

// Exceptions of the standard library end here.
void LibrarySession::run(Opening& opening) {
  block_signals();
  of_this_thread = this;
  RequestEnd end = closed();
  try {
    open_and_compute(opening);
    return;
  } catch (const std::bad_alloc&) {
    end = {SHINGLE_NO_MEMORY, "this process has no memory left"};
  } catch (const std::exception& error) {
    end = {SHINGLE_RUNTIME, error.what()};
  }
  desk_->end_all(end);
  if (!opening.is_told) opening.tell(end);
}

void LibrarySession::open_and_compute(Opening& opening) {
  const auto refuse = [&](const Error& error) {
    opening.tell({code_of(error.kind), error.sentence});
  };
  const auto file = place_of_model(settings_.model);
  if (!file) return refuse(file.failure());
  auto model = open_model_of(settings_, file->path);
  if (!model) return refuse(model.failure());
  model_ = std::make_shared<const OpenedModel>(std::move(*model));
  const auto place = open_session_place(settings_, file->path, *model_, *desk_);
  if (!place) return refuse(place.failure());
  FrameStream& stream = *(*place)->stream;
  look_at(stream);
  open_ = true;
  opening.tell({});
  const Status done = compute(stream);
  desk_->end_all(done ? closed() : RequestEnd{SHINGLE_RUNTIME, done.error()});
  look_at(stream);
}

Status LibrarySession::compute(FrameStream& stream) {
  std::deque<RequestDesk::Request> sent;  // in the order of the stream, also those that have ended
  while (!desk_->is_closed()) {
    desk_->expire();
    if (const Status dealt = deal(stream, sent); !dealt) return dealt;
    if (const Status collected = collect(stream, sent); !collected) return collected;
    look_at(stream);
  }
  return success();
}

Status LibrarySession::deal(FrameStream& stream, std::deque<RequestDesk::Request>& sent) {
  while (stream.may_submit()) {
    RequestDesk::Taken taken = desk_->take();
    if (taken.request == nullptr) return success();
    const Status submitted = stream.submit(std::move(taken.inputs), taken.time_left);
    if (!submitted) return submitted;
    sent.push_back(std::move(taken.request));
  }
  return success();
}

// Waits for what can happen next.
Status LibrarySession::collect(FrameStream& stream, std::deque<RequestDesk::Request>& sent) {
  if (sent.empty() && stream.may_submit()) {
    desk_->wait_for_work(wait_for_requests);
    return stream.hear();
  }
  const Duration longest =
      desk_->until_deadline(stream.may_submit() ? wait_for_outputs : wait_without_room);
  if (sent.empty()) return stream.wait_for_room(longest);  // nodes compute what was given up
  auto frame = stream.poll(longest);
  if (!frame) return frame.failure();
  if (!*frame) return success();
  const RequestDesk::Request request = std::move(sent.front());
  sent.pop_front();
  if ((*frame)->late)
    desk_->end(request, {SHINGLE_LATE, "the request missed its deadline"});
  else
    desk_->end(request, {}, std::move((*frame)->outputs));
  return success();
}

void LibrarySession::look_at(const FrameStream& stream) {
  const Tally& tally = stream.tally();
  const std::lock_guard lock(figures_mutex_);
  if (figures_.plan.empty() || figures_.plan_changes != stream.switches())
    figures_.plan = print(stream.rotation());
  figures_.tiles = std::accumulate(tally.tiles().begin(), tally.tiles().end(), uint64_t{0});
  figures_.borrowed_tiles = tally.all_thefts();
  figures_.wire_bytes = static_cast<uint64_t>(stream.planned_wire_bytes() + tally.lent_bytes());
  figures_.plan_changes = stream.switches();
  figures_.nodes = tally.members().size();
}

shingle_counters LibrarySession::counters() const {
  shingle_counters counters = desk_->counters();
  const std::lock_guard lock(figures_mutex_);
  counters.struct_size = sizeof counters;
  counters.tiles = figures_.tiles;
  counters.borrowed_tiles = figures_.borrowed_tiles;
  counters.wire_bytes = figures_.wire_bytes;
  counters.plan_changes = figures_.plan_changes;
  counters.nodes = figures_.nodes;
  return counters;
}

std::string LibrarySession::plan() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_.plan;
}

bool LibrarySession::is_waited_for(const RequestDesk& desk) {
  const bool is_own = of_this_thread != nullptr && of_this_thread->desk_.get() == &desk;
  return is_own || LogCall::is_under_way();
}

void LibrarySession::tell() {
  block_signals();
  of_this_thread = this;
  while (const RequestDesk::Request request = desk_->next_to_tell())
    desk_->told(request, !tell(*request));
}

bool LibrarySession::tell(DeskRequest& request) const {
  std::string what;
  try {
    request.done(desk_->handle_of(request), request.end.code, request.user);
    return true;
  } catch (const std::exception& error) {
    what = std::string(": ") + error.what();
  } catch (...) {
  }
  note_to(settings_.log, LogLevel::warning,
          "the callback of request " + std::to_string(request.number) + " threw" + what);
  return false;
}

void LibrarySession::close() {
  const std::lock_guard lock(closing_);
  open_ = false;
  desk_->close();
  if (session_thread_.joinable()) session_thread_.join();
  open_ = false;  // it may have been about to open
  desk_->end_all(closed());
  desk_->end_telling(false);
  if (callback_thread_.joinable()) callback_thread_.join();
}

// Tells all sessions before it waits for one: a session may wait for a place in the cluster that
// another session has.
void LibrarySession::abandon(const std::vector<std::shared_ptr<LibrarySession>>& sessions) {
  process_ends = true;
  for (const auto& session : sessions) {
    session->desk_->end_telling(true);
    session->desk_->close();
  }
  for (const auto& session : sessions) session->abandon();
}

void LibrarySession::abandon() {
  std::unique_lock lock(closing_, std::defer_lock);
  for (int looks = 0; !lock.try_lock(); ++looks) {  // somebody closes it
    if (looks == most_looks_at_exit) return;
    std::this_thread::sleep_for(look_again_at_exit);
  }
  open_ = false;
  // The session's thread may wait for the thread of a log function.
  const bool may_wait =
      session_thread_.get_id() != std::this_thread::get_id() && !LogCall::is_under_way();
  if (session_thread_.joinable() && may_wait) {
    const auto ended = end_of_thread_.get_future().wait_for(longest_end_at_exit);
    if (ended == std::future_status::ready) session_thread_.join();
  }
  if (session_thread_.joinable()) session_thread_.detach();
  if (callback_thread_.joinable()) callback_thread_.detach();
}

}  // namespace shingle
