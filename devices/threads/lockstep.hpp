// Lockstep: threads that compute the steps of a loop together. A step has parts, which may run at
// the same time; it begins when all parts of the step before have ended.
//
//   thread 0   [step 0, part 0] [step 1, part 0] ...      each thread has a part of its own, whose
//   thread 1   [step 0, part 1] [step 1, part 1] ...      data stays in its cache
//
// A part whose thread is late (it has no core now) is taken by one that waits. So nobody waits for
// a thread that took nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/threads/patience.hpp"

namespace shingle {

class Lockstep {
 public:
  explicit Lockstep(int most_parts) : taken_(static_cast<size_t>(most_parts)) {}

  // Before any thread calls run(), and while none is in it. REQUIRES: 1 <= parts <= most_parts.
  void begin(int parts) {
    parts_ = parts;
    for (Taken& each : taken_) each.steps.store(0, std::memory_order_relaxed);
    ended_.store(0, std::memory_order_release);
  }

  // Calls compute(step, part) for steps 0 .. steps-1, sharing the parts with all threads that call
  // this too. Returns when all steps have ended, whoever computed them. What earlier steps wrote
  // is seen by later ones.
  template <class Compute>
  void run(int own, int64_t steps, const Compute& compute) {
    for (int64_t step = 0; step < steps; ++step) {
      for (int i = 0; i < parts_; ++i) {
        const int part = (own + i) % parts_;
        int64_t before = step;
        if (!taken_[static_cast<size_t>(part)].steps.compare_exchange_strong(
                before, step + 1, std::memory_order_acq_rel))
          continue;
        compute(step, part);
        const int64_t ended = ended_.fetch_add(1, std::memory_order_acq_rel) + 1;
        if (ended % parts_ == 0) ended_.notify_all();
      }
      wait_for((step + 1) * parts_);  // a late thread looks once
    }
  }

 private:
  struct alignas(64) Taken {
    std::atomic<int64_t> steps{0};  // so many of this part
  };

  // A part mostly takes a few microseconds: less than to yield and come back.
  void wait_for(int64_t ended) const {
    constexpr int looks = 2000;
    for (int i = 0; i < looks; ++i)
      if (ended_.load(std::memory_order_acquire) >= ended) return;
    for (int64_t now = ended_.load(std::memory_order_acquire); now < ended;
         now = ended_.load(std::memory_order_acquire))
      wait_while(ended_, now);
  }

  int parts_ = 1;
  std::vector<Taken> taken_;  // by part
  alignas(64) std::atomic<int64_t> ended_{0};
};

}  // namespace shingle
