#include "devices/parallel.hpp"

#include <pthreadpool.h>

#include <cassert>

namespace shingle {

ThreadPool::ThreadPool(int threads) {
  assert(threads >= 1);
  if (threads > 1) handle_ = pthreadpool_create(static_cast<size_t>(threads));
}

ThreadPool::~ThreadPool() {
  if (handle_ != nullptr) pthreadpool_destroy(handle_);
}

int ThreadPool::threads() const {
  return handle_ == nullptr ? 1 : static_cast<int>(pthreadpool_get_threads_count(handle_));
}

void ThreadPool::run(pthreadpool* pool, int count, void (*function)(void*, size_t), void* context) {
  pthreadpool_parallelize_1d(pool, function, context, static_cast<size_t>(count), 0);
}

}  // namespace shingle
