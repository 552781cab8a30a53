#include "apps/library/request_desk.hpp"

#include <algorithm>
#include <utility>

namespace shingle {
namespace {

using Stage = DeskRequest::Stage;

RequestEnd late() { return {SHINGLE_LATE, "the request missed its deadline"}; }
RequestEnd under_way() { return {SHINGLE_TIMEOUT, "the request is still under way"}; }

// Waits for `done` with the lock; for at most so long, or for ever. False: the time has passed.
template <class Done>
bool wait_until_done(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                     std::optional<Duration> longest, const Done& done) {
  constexpr Duration most = std::chrono::hours(24 * 365);  // no clock overflows
  if (longest) return changed.wait_for(lock, std::min(*longest, most), done);
  changed.wait(lock, done);
  return true;
}

}  // namespace

RequestEnd RequestDesk::wait_for_room(std::unique_lock<std::mutex>& lock,
                                      std::optional<Duration> longest) {
  wait_until_done(changed_, lock, longest,
                  [this] { return closed_ || waiting_.size() < most_waiting_; });
  if (ended_all_) return *ended_all_;
  if (closed_) return {SHINGLE_CLOSED, "the session is closed"};
  if (waiting_.size() >= most_waiting_)
    return {SHINGLE_BUSY, std::to_string(waiting_.size()) +
                              " requests wait already, as many as the option 'queue' allows"};
  return {};
}

RequestDesk::Request RequestDesk::enqueue(RequestOrder order) {
  auto request = std::make_shared<DeskRequest>();
  request->number = counters_.submitted;
  request->since = clock_.now();
  if (order.deadline) request->deadline = request->since + *order.deadline;
  request->inputs = std::move(order.inputs);
  request->done = order.done;
  request->user = order.user;
  waiting_.push_back(request);
  return request;
}

RequestEnd RequestDesk::wait(const Request& request, std::optional<Duration> longest) {
  std::unique_lock lock(mutex_);
  const bool is_told =
      wait_until_done(changed_, lock, longest, [&] { return request->stage == Stage::told; });
  return is_told ? request->end : under_way();
}

RequestEnd RequestDesk::end_of(const Request& request) const {
  const std::lock_guard lock(mutex_);
  return request->stage < Stage::ended ? under_way() : request->end;
}

void RequestDesk::cancel(const Request& request) {
  const std::lock_guard lock(mutex_);
  end_locked(request, {SHINGLE_CANCELLED, "the request was cancelled"});
}

void RequestDesk::forget_handle(const Request& request) {
  const std::lock_guard lock(mutex_);
  request->handle = nullptr;
}

shingle_request* RequestDesk::handle_of(const DeskRequest& request) const {
  const std::lock_guard lock(mutex_);
  return request.handle;
}

shingle_counters RequestDesk::counters() const {
  const std::lock_guard lock(mutex_);
  shingle_counters counters = counters_;
  counters.waiting = waiting_.size();
  counters.under_way = under_way_.size();
  return counters;
}

RequestDesk::Taken RequestDesk::take() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return {};
  under_way_.push_back(waiting_.front());  // may throw
  Taken taken{.request = std::move(waiting_.front())};
  waiting_.pop_front();
  DeskRequest& request = *taken.request;
  request.stage = Stage::under_way;
  taken.inputs = std::move(request.inputs);
  if (request.deadline) taken.time_left = std::max(*request.deadline - clock_.now(), Duration(1));
  changed_.notify_all();  // there is room
  return taken;
}

bool RequestDesk::end(const Request& request, RequestEnd end,
                      std::vector<std::vector<std::byte>> outputs) {
  const std::lock_guard lock(mutex_);
  if (request->stage == Stage::ended || request->stage == Stage::told) return false;
  if (end.code == SHINGLE_OK && request->deadline && *request->deadline <= clock_.now())
    end = late();
  if (end.code == SHINGLE_OK) request->outputs = std::move(outputs);
  return end_locked(request, std::move(end));
}

bool RequestDesk::end_locked(const Request& request, RequestEnd end) {
  if (request->stage == Stage::ended || request->stage == Stage::told) return false;
  const bool tells = request->done != nullptr && !quiet_;
  if (tells) to_tell_.push_back(request);  // may throw
  std::erase(waiting_, request);
  std::erase(under_way_, request);
  request->inputs = {};
  request->took = clock_.now() - request->since;
  uint64_t& count = end.code == SHINGLE_OK          ? counters_.computed
                    : end.code == SHINGLE_LATE      ? counters_.late
                    : end.code == SHINGLE_CANCELLED ? counters_.cancelled
                                                    : counters_.failed;
  ++count;
  request->end = std::move(end);
  request->stage = tells ? Stage::ended : Stage::told;
  changed_.notify_all();
  return true;
}

void RequestDesk::expire() {
  const std::lock_guard lock(mutex_);
  const Time now = clock_.now();
  std::vector<Request> expired;
  const auto look = [&](const Request& request) {
    if (request->deadline && *request->deadline <= now) expired.push_back(request);
  };
  std::ranges::for_each(waiting_, look);
  std::ranges::for_each(under_way_, look);
  for (const Request& request : expired) end_locked(request, late());
}

Duration RequestDesk::until_deadline(Duration longest) const {
  const std::lock_guard lock(mutex_);
  const Time now = clock_.now();
  const auto look = [&](const Request& request) {
    if (request->deadline) longest = std::clamp(*request->deadline - now, Duration(0), longest);
  };
  std::ranges::for_each(waiting_, look);
  std::ranges::for_each(under_way_, look);
  return longest;
}

bool RequestDesk::wait_for_work(Duration longest) {
  std::unique_lock lock(mutex_);
  wait_until_done(changed_, lock, longest, [this] { return closed_ || !waiting_.empty(); });
  return closed_;
}

void RequestDesk::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool RequestDesk::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void RequestDesk::end_all(const RequestEnd& end) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  ended_all_ = end;
  while (!waiting_.empty()) end_locked(Request(waiting_.front()), end);
  while (!under_way_.empty()) end_locked(Request(under_way_.front()), end);
  changed_.notify_all();
}

void RequestDesk::end_telling(bool quietly) {
  const std::lock_guard lock(mutex_);
  telling_ends_ = true;
  quiet_ = quietly;
  if (quietly) {
    for (const Request& request : to_tell_) request->stage = Stage::told;
    to_tell_.clear();
  }
  changed_.notify_all();
}

RequestDesk::Request RequestDesk::next_to_tell() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return telling_ends_ || !to_tell_.empty(); });
  if (to_tell_.empty()) return nullptr;
  Request request = std::move(to_tell_.front());
  to_tell_.pop_front();
  return request;
}

void RequestDesk::told(const Request& request, bool threw) {
  const std::lock_guard lock(mutex_);
  request->stage = Stage::told;
  counters_.callback_errors += threw ? 1 : 0;
  changed_.notify_all();
}

}  // namespace shingle
