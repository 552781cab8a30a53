// ThreadPool: threads for loops over rows, tiles or channels.
//
//   caller   publishes [epoch | items left], takes items, waits for those that others took
//   worker   takes items while there are any, else spins a little, then sleeps
//
// Nobody waits for a worker that took no item. So on a machine with other load, a worker that does
// not get a core in time only costs its share of the work, and not a time slice in every loop.
//
// Workers keep off the core on which their caller computes. On real cores the kernel does this by
// itself. On virtual cores it may not: an idle core that the host has taken away counts as busy,
// and a worker that wakes up after a pause would wait behind its caller for milliseconds.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

struct pthreadpool;

namespace shingle {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // the calling thread included; at least 1
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  static bool worth_sharing(int64_t operations) { return operations >= min_operations; }

  int threads() const { return 1 + static_cast<int>(workers_.size()); }

  // A pool for XNNPACK, for work of about `operations` additions, moves or the like. Null if waking
  // and waiting for threads would cost more than it saves. Made at the first call. Its threads spin
  // for many milliseconds after their work; the next shared loop of this pool ends that.
  pthreadpool* handle_for(int64_t operations) const;

  // Calls function(item, thread) for item = 0 .. count-1 and returns when all calls have ended.
  // Uses several threads if the total of `operations` is worth it. Calls begin in this order, so a
  // call may wait for earlier ones. `thread` is below threads(); two calls at the same time never
  // have the same number. One thread at a time calls for_each(). `function` must not throw, and
  // must not call for_each().
  template <class Function>
  void for_each(int count, int64_t operations, const Function& function) const {
    if (workers_.empty() || count < 2 || !worth_sharing(operations)) {
      for (int item = 0; item < count; ++item) function(item, 0);
      return;
    }
    const auto call = [](const void* context, int item, int thread) {
      (*static_cast<const Function*>(context))(item, thread);
    };
    share({call, &function, count});
  }

 private:
  struct Loop {
    void (*call)(const void* context, int item, int thread) = nullptr;
    const void* context = nullptr;
    int count = 0;
  };

  static constexpr int64_t min_operations = 500'000;  // 10 to 50 us

  void share(const Loop& loop) const;
  void let_handle_sleep() const;
  void keep_off_the_callers_core() const;
  bool take_one(int thread) const;
  void work(int thread) const;

  mutable Loop loop_;  // of the epoch; read only by threads that hold one of its items
  mutable std::atomic<uint64_t> ticket_{0};  // epoch in the upper half, items left in the lower
  mutable std::atomic<int> unfinished_{0};   // items of the epoch
  std::atomic<bool> stop_{false};
  cpu_set_t allowed_{};            // cores of the thread that made the pool
  mutable int callers_core_ = -1;  // workers keep off this core
  mutable std::vector<std::thread> workers_;
  struct Deleter {
    void operator()(pthreadpool* pool) const;
  };
  mutable std::unique_ptr<pthreadpool, Deleter> handle_;
  mutable bool handle_spins_ = false;
};

}  // namespace shingle
