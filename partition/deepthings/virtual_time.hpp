// Virtual time for simulated programs: coroutines that sleep, send data and wait for each other
// over the simulated wires of a network. The protocol of ftp.hpp is simulated with it.
//
//   Fiber steal(VirtualTime& time) {
//     co_await time.transfer(0, 1, bytes);    // until the last byte is there
//     co_await time.sleep(std::chrono::milliseconds(100));
//   }
//   time.start(steal(time));
//   time.run();
#pragma once

#include <coroutine>
#include <cstdlib>
#include <deque>
#include <utility>

#include "partition/base/event_queue.hpp"
#include "partition/network/fluid.hpp"

namespace shingle {

// A coroutine. It begins when another one awaits it or when VirtualTime starts it. To await a fiber
// is to wait for its end.
class Fiber {
 public:
  struct promise_type {
    std::coroutine_handle<> waiting = std::noop_coroutine();

    Fiber get_return_object() {
      return Fiber(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Back {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
          return self.promise().waiting;
        }
        void await_resume() noexcept {}
      };
      return Back{};
    }
    void return_void() {}
    void unhandled_exception() { std::abort(); }  // nothing in partition/ throws
  };

  Fiber(Fiber&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Fiber& operator=(Fiber&&) = delete;
  ~Fiber() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().waiting = caller;
    return handle_;
  }
  void await_resume() {}
  std::coroutine_handle<> handle() const { return handle_; }

 private:
  explicit Fiber(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

// What goes on when something has happened: a fiber, or an object that is told so.
struct Continuation {
  void* of = nullptr;
  void (*go)(void* of) = nullptr;

  static Continuation of_fiber(std::coroutine_handle<> fiber) {
    return {fiber.address(),
            [](void* address) { std::coroutine_handle<>::from_address(address).resume(); }};
  }
};

class VirtualTime {
 public:
  explicit VirtualTime(NetworkTopology network);

  Time now() const { return now_; }

  // For objects; fibers await sleep() and transfer(). What `then` names must live until it is
  // called, or until this object is destroyed.
  void call(Time at, Continuation then) { agenda_.push(at, then); }
  void send(uint32_t from, uint32_t to, int64_t bytes, Continuation then);

  auto sleep(Duration duration) {
    return Awaited(
        [this, duration](std::coroutine_handle<> fiber) { wake(now_ + duration, fiber); });
  }
  // Sends payload from one host to another.
  auto transfer(uint32_t from, uint32_t to, int64_t bytes) {
    return Awaited([=, this](std::coroutine_handle<> fiber) {
      send(from, to, bytes, Continuation::of_fiber(fiber));
    });
  }

  // Starts the fiber now. It runs until it ends or this object is destroyed.
  void start(Fiber fiber) {
    fibers_.push_back(std::move(fiber));
    wake(now_, fibers_.back().handle());
  }
  void stop() { stopped_ = true; }
  // Runs until stopped, or until no event is left.
  void run();

 private:
  template <class Suspend>
  class Awaited {
   public:
    explicit Awaited(Suspend suspend) : suspend_(std::move(suspend)) {}
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> fiber) { suspend_(fiber); }
    void await_resume() const {}

   private:
    Suspend suspend_;
  };
  friend class OneAtATime;

  void wake(Time at, std::coroutine_handle<> fiber) { call(at, Continuation::of_fiber(fiber)); }

  EventQueue<Continuation> agenda_;
  FluidNetwork network_;
  Time now_{};
  bool stopped_ = false;
  std::vector<Continuation> transfers_;  // under way, by cargo
  std::vector<uint64_t> free_transfers_;
  std::vector<NetworkArrival> arrivals_;
  std::deque<Fiber> fibers_;
};

// A thread that serves one fiber at a time, in the order of arrival. Every fiber that enters must
// leave.
class OneAtATime {
 public:
  explicit OneAtATime(VirtualTime& time) : time_(time) {}

  auto enter() {
    return VirtualTime::Awaited([this](std::coroutine_handle<> fiber) {
      waiting_.push_back(fiber);
      if (waiting_.size() == 1) time_.wake(time_.now(), fiber);
    });
  }
  void leave() {
    waiting_.pop_front();
    if (!waiting_.empty()) time_.wake(time_.now(), waiting_.front());
  }

 private:
  VirtualTime& time_;
  std::deque<std::coroutine_handle<>> waiting_;  // the first one is being served
};

}  // namespace shingle
