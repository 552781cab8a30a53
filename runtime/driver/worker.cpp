#include "runtime/driver/worker.hpp"

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace shingle {

namespace {

class ThreadWorker final : public Worker {
 public:
  explicit ThreadWorker(Work work) : work_(std::move(work)), thread_([this] { run(); }) {}
  ~ThreadWorker() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (!std::exchange(woken_, false)) {
        changed_.wait(lock);
        continue;
      }
      lock.unlock();
      const bool perhaps_more = work_();
      lock.lock();
      woken_ = woken_ || perhaps_more;
    }
  }

  const Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false, stopping_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace

std::unique_ptr<Worker> own_thread(Worker::Work work) {
  assert(work);
  return std::make_unique<ThreadWorker>(std::move(work));
}

}  // namespace shingle
