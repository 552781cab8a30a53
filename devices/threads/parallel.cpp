#include "devices/threads/parallel.hpp"

#include <pthread.h>
#include <pthreadpool.h>

#include <cassert>
#include <utility>

#include "devices/threads/patience.hpp"

namespace shingle {

namespace {

constexpr uint64_t one_epoch = uint64_t{1} << 32;

int left(uint64_t ticket) { return static_cast<int>(ticket & (one_epoch - 1)); }

}  // namespace

ThreadPool::ThreadPool(int threads) {
  assert(threads >= 1);
  ::sched_getaffinity(0, sizeof allowed_, &allowed_);
  for (int thread = 1; thread < threads; ++thread) {
    workers_.emplace_back([this, thread] { work(thread); });
  }
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  ticket_ += one_epoch;
  ticket_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

pthreadpool* ThreadPool::handle_for(int64_t operations) const {
  if (workers_.empty() || !worth_sharing(operations)) return nullptr;
  if (handle_ == nullptr) handle_.reset(pthreadpool_create(static_cast<size_t>(threads())));
  handle_spins_ = true;
  return handle_.get();
}

// Else our workers would share their cores with threads that only wait: an empty loop after which
// those may not spin.
void ThreadPool::let_handle_sleep() const {
  if (!handle_spins_) return;
  handle_spins_ = false;
  pthreadpool_parallelize_1d(
      handle_.get(), [](void*, size_t) {}, nullptr, pthreadpool_get_threads_count(handle_.get()),
      PTHREADPOOL_FLAG_YIELD_WORKERS);
}

void ThreadPool::Deleter::operator()(pthreadpool* pool) const { pthreadpool_destroy(pool); }

// A caller moves seldom: mostly this only asks where it is, which takes nanoseconds. Where there is
// no core for each worker beside the caller's they may run on any.
void ThreadPool::keep_off_the_callers_core() const {
  const int core = ::sched_getcpu();
  if (core < 0 || core == callers_core_) return;
  callers_core_ = core;
  cpu_set_t others = allowed_;
  CPU_CLR(static_cast<size_t>(core), &others);
  if (std::cmp_less(CPU_COUNT(&others), workers_.size())) return;
  for (std::thread& worker : workers_)
    ::pthread_setaffinity_np(worker.native_handle(), sizeof others, &others);
}

void ThreadPool::share(const Loop& loop) const {
  let_handle_sleep();
  keep_off_the_callers_core();
  loop_ = loop;
  unfinished_.store(loop.count, std::memory_order_relaxed);
  const uint64_t epoch = ticket_.load(std::memory_order_relaxed) / one_epoch + 1;
  ticket_.store(epoch * one_epoch + static_cast<uint64_t>(loop.count), std::memory_order_release);
  ticket_.notify_all();
  while (take_one(0)) {
  }
  while (const int others = unfinished_.load(std::memory_order_acquire)) {
    wait_while(unfinished_, others);
  }
}

// Whoever takes an item may read loop_: its publisher does not return before the item has ended.
bool ThreadPool::take_one(int thread) const {
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  do {
    if (left(ticket) == 0) return false;
  } while (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel));
  loop_.call(loop_.context, loop_.count - left(ticket), thread);
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  return true;
}

// Whoever sees the ticket that the destructor leaves sees stop_ too: to ask before looking at the
// ticket would be to fall asleep on the last one.
void ThreadPool::work(int thread) const {
  while (true) {
    const uint64_t ticket = ticket_.load(std::memory_order_acquire);
    if (stop_) return;
    if (left(ticket) != 0)
      take_one(thread);
    else
      wait_while(ticket_, ticket);
  }
}

}  // namespace shingle
