// RequestDesk: what callers, the session's thread and its thread for callbacks share: the requests.
//
//   callers    add() ..... wait(), cancel()
//   session    take() -> a frame is computed -> end()      expire() now and then
//   callbacks  next_to_tell() -> the callback -> told()
//
//   request    waiting -> under way -> ended -> told
//                 '------------------> (cancelled, late, closed)
//
// One lock guards all requests of a session. What a request gave does not change once it has ended.
#pragma once

#include <shingle/shingle.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "partition/base/time.hpp"
#include "runtime/driver/clock.hpp"
#include "runtime/driver/inbox.hpp"

namespace shingle {

// How a request ended.
struct RequestEnd {
  shingle_code code = SHINGLE_OK;
  std::string sentence{};  // empty with SHINGLE_OK
};

struct RequestOrder {
  FrameInputs inputs;
  std::optional<Duration> deadline{};               // from add() on; none: as long as it takes
  std::optional<Duration> room_wait = Duration(0);  // none: for ever
  shingle_done_function done = nullptr;
  void* user = nullptr;
};

// Its fields belong to the desk, but for what a request gave once it has ended.
struct DeskRequest {
  enum class Stage : uint8_t { waiting, under_way, ended, told };

  uint64_t number = 0;  // in the session, from 0 on
  Stage stage = Stage::waiting;
  Time since{};
  std::optional<Time> deadline{};
  FrameInputs inputs{};  // until it is under way
  shingle_done_function done = nullptr;
  void* user = nullptr;
  shingle_request* handle = nullptr;  // that its callback gets; null once it was freed

  RequestEnd end{};
  Duration took{};
  std::vector<std::vector<std::byte>> outputs{};  // by model output: f32 in (y, x, c) order, whole
};

class RequestDesk {
 public:
  using Request = std::shared_ptr<DeskRequest>;

  explicit RequestDesk(uint32_t most_waiting) : most_waiting_(most_waiting) {}

  // --- callers ---
  // The handle is set by `name`, before anybody hears of the request. Another code than SHINGLE_OK:
  // nothing was added.
  struct Added {
    RequestEnd refusal{};
    Request request{};  // null if it was refused
    shingle_request* handle = nullptr;
  };
  template <class Name>
  Added add(RequestOrder order, const Name& name) {
    std::unique_lock lock(mutex_);
    Added added{.refusal = wait_for_room(lock, order.room_wait)};
    if (added.refusal.code != SHINGLE_OK) return added;
    added.request = enqueue(std::move(order));
    try {
      added.handle = added.request->handle = name(added.request);
    } catch (...) {  // no memory: nobody has heard of it
      waiting_.pop_back();
      throw;
    }
    ++counters_.submitted;
    changed_.notify_all();
    return added;
  }
  // How it ended; waits for that and for the end of its callback, at most so long (none: for ever).
  // SHINGLE_TIMEOUT: it is under way.
  RequestEnd wait(const Request& request, std::optional<Duration> longest);
  // The same at once, and in its callback, too.
  RequestEnd end_of(const Request& request) const;
  // No effect on a request that has ended.
  void cancel(const Request& request);
  void forget_handle(const Request& request);  // it was freed
  shingle_counters counters() const;           // of requests and callbacks

  // --- the session's thread ---
  // The oldest that waits; it is under way from now on.
  struct Taken {
    Request request{};  // null: none waits
    FrameInputs inputs{};
    std::optional<Duration> time_left{};  // until its deadline; above 0
  };
  Taken take();
  // False: it had ended otherwise.
  bool end(const Request& request, RequestEnd end,
           std::vector<std::vector<std::byte>> outputs = {});
  void expire();  // ends what has missed its deadline
  // The time until the next deadline, but at most `longest`; not below 0.
  Duration until_deadline(Duration longest) const;
  // Until a request waits, the desk is closed, or this time has passed. True: closed.
  bool wait_for_work(Duration longest);

  // --- closing ---
  // Nothing is added any more; the session's thread is told by wait_for_work().
  void close();
  bool is_closed() const;
  // Ends all as `end`, and all that comes later. REQUIRES: called when the session's thread has
  // nothing under way any more.
  void end_all(const RequestEnd& end);
  // After all that have ended are told, next_to_tell() returns null. `quietly`: without callbacks.
  void end_telling(bool quietly);

  // --- the thread for callbacks ---
  Request next_to_tell();  // waits
  shingle_request* handle_of(const DeskRequest& request) const;
  void told(const Request& request, bool threw);

 private:
  RequestEnd wait_for_room(std::unique_lock<std::mutex>& lock, std::optional<Duration> longest);
  Request enqueue(RequestOrder order);
  bool end_locked(const Request& request, RequestEnd end);

  const uint32_t most_waiting_;
  const SteadyClock clock_{};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> waiting_;
  std::vector<Request> under_way_;
  std::deque<Request> to_tell_;
  bool closed_ = false, telling_ends_ = false, quiet_ = false;
  std::optional<RequestEnd> ended_all_{};
  shingle_counters counters_{};
};

}  // namespace shingle
