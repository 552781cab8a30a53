// A pool of threads for loops over rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

struct pthreadpool;

namespace shingle {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // the calling thread included; 1: no pool at all
  ~ThreadPool();

  // For work of about `operations` additions, moves or the like: the pool, or none where waking and
  // waiting for the threads (10 to 50 us) would cost more than it saves.
  pthreadpool* handle_for(int64_t operations) const {
    return operations < least_operations ? nullptr : handle_;
  }
  int threads() const;

  // Calls function(i) for i = 0 .. count-1, side by side if `operations`, all together, are worth
  // it; returns when all have ended.
  template <class Function>
  void for_each(int count, int64_t operations, const Function& function) const {
    Loop<Function> loop{function, {false}, {0}};
    loop.begun.store(true, std::memory_order_release);
    run(handle_for(operations), count, Loop<Function>::step, &loop);
    (void)loop.ended.load(std::memory_order_acquire);
  }

 private:
  // The pool orders memory by itself; the two atomics say so once more where tools that watch this
  // program's own instructions (ThreadSanitizer) can see it.
  template <class Function>
  struct Loop {
    const Function& function;
    std::atomic<bool> begun;
    std::atomic<int> ended;

    static void step(void* context, size_t i) {
      Loop& loop = *static_cast<Loop*>(context);
      (void)loop.begun.load(std::memory_order_acquire);
      loop.function(static_cast<int>(i));
      loop.ended.fetch_add(1, std::memory_order_release);
    }
  };

  static constexpr int64_t least_operations = 500'000;

  static void run(pthreadpool* pool, int count, void (*function)(void*, size_t), void* context);

  pthreadpool* handle_ = nullptr;
};

}  // namespace shingle
