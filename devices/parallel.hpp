// A pool of threads for loops over rows.
#pragma once

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
    run(
        handle_for(operations), count,
        [](void* context, size_t i) {
          (*static_cast<const Function*>(context))(static_cast<int>(i));
        },
        const_cast<Function*>(&function));
  }

 private:
  static constexpr int64_t least_operations = 500'000;

  static void run(pthreadpool* pool, int count, void (*function)(void*, size_t), void* context);

  pthreadpool* handle_ = nullptr;
};

}  // namespace shingle
