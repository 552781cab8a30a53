// A pool of threads for loops over rows.
#pragma once

#include <memory>

struct pthreadpool;

namespace shingle {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // the calling thread included; 1: no pool at all
  ~ThreadPool();

  pthreadpool* handle() const { return handle_; }  // none: the calling thread alone
  int threads() const;

  // Calls function(i) for i = 0 .. count-1, side by side; returns when all have ended.
  template <class Function>
  void for_each(int count, const Function& function) const {
    run(
        count,
        [](void* context, size_t i) {
          (*static_cast<const Function*>(context))(static_cast<int>(i));
        },
        const_cast<Function*>(&function));
  }

 private:
  void run(int count, void (*function)(void*, size_t), void* context) const;

  pthreadpool* handle_ = nullptr;
};

}  // namespace shingle
