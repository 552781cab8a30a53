#include "apps/library/library_session.hpp"

#include <csignal>
#include <numeric>

#include "apps/library/session_place.hpp"
#include "devices/weights/torn_pages.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

// While requests may come: RequestDesk cannot wake who waits for the stream.
constexpr milliseconds wait_for_outputs{2};
constexpr milliseconds wait_without_room{20};
constexpr milliseconds wait_for_requests{100};

thread_local const LibrarySession* of_this_thread = nullptr;

// Signals are for the program's threads.
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

const RequestEnd closed{SHINGLE_CLOSED, "the session is closed"};

}  // namespace

LibrarySession::LibrarySession(SessionSettings settings)
    : settings_(std::move(settings)),
      desk_(std::make_shared<RequestDesk>(settings_.stream.queue)) {}

Result<std::shared_ptr<LibrarySession>> LibrarySession::open(SessionSettings settings) {
  leave_bus_errors_alone();
  std::shared_ptr<LibrarySession> session(new LibrarySession(std::move(settings)));
  auto model = open_model_of(session->settings_);
  if (!model) return model.failure();
  session->model_ = std::make_shared<const OpenedModel>(std::move(*model));
  std::promise<Status> opened;
  std::future<Status> opening = opened.get_future();
  session->callback_thread_ = std::thread([self = session.get()] { self->tell(); });
  session->session_thread_ = std::thread(
      [self = session.get(), promise = std::move(opened)]() mutable { self->run(promise); });
  const Status ready = opening.get();
  if (!ready) return ready.failure();
  return session;
}

LibrarySession::~LibrarySession() { close(); }

// Exceptions of the standard library end here.
void LibrarySession::run(std::promise<Status>& opened) {
  block_signals();
  of_this_thread = this;
  bool is_open = false;
  RequestEnd end = closed;
  try {
    auto place = open_session_place(settings_, *model_, *desk_);
    if (place) look_at(*(*place)->stream);
    is_open = true;
    opened.set_value(place ? success() : Status(place.failure()));
    const Status done = place ? compute(*(*place)->stream) : success();
    if (!done) end = {SHINGLE_RUNTIME, done.error()};
    desk_->end_all(end);
    if (place) look_at(*(*place)->stream);
    return;
  } catch (const std::bad_alloc&) {
    end = {SHINGLE_NO_MEMORY, "this process has no memory left"};
  } catch (const std::exception& error) {
    end = {SHINGLE_RUNTIME, error.what()};
  }
  desk_->end_all(end);
  if (!is_open) opened.set_value(Error{end.sentence});
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
  while (stream.has_room()) {
    FrameInputs inputs;
    auto request = desk_->take(inputs);
    if (request == nullptr) return success();
    if (const Status taken = stream.submit(std::move(inputs)); !taken) return taken;
    sent.push_back(std::move(request));
  }
  return success();
}

Status LibrarySession::collect(FrameStream& stream, std::deque<RequestDesk::Request>& sent) {
  if (sent.empty()) {
    desk_->wait_for_work(wait_for_requests);
    return stream.hear();
  }
  auto frame = stream.poll(stream.has_room() ? wait_for_outputs : wait_without_room);
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

bool LibrarySession::is_thread_of(const RequestDesk& desk) {
  return of_this_thread != nullptr && of_this_thread->desk_.get() == &desk;
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
  closed_ = true;
  desk_->close();
  if (session_thread_.joinable()) session_thread_.join();
  desk_->end_all(closed);
  desk_->end_telling(false);
  if (callback_thread_.joinable()) callback_thread_.join();
}

void LibrarySession::abandon() {
  const std::unique_lock lock(closing_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // somebody closes it
  closed_ = true;
  desk_->end_telling(true);
  desk_->close();
  const bool is_own = session_thread_.get_id() == std::this_thread::get_id();
  if (session_thread_.joinable() && !is_own) session_thread_.join();
  if (session_thread_.joinable()) session_thread_.detach();
  if (callback_thread_.joinable()) callback_thread_.detach();
}

}  // namespace shingle
