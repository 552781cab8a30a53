// Budget: bytes that strangers may make this process hold, all of them together. Thread-safe.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <utility>

namespace shingle::serve {

class Budget {
 public:
  explicit Budget(uint64_t bytes) : most_(bytes) {}

  bool take(uint64_t bytes) {
    uint64_t held = held_;
    do {
      if (bytes > most_ - held) return false;
    } while (!held_.compare_exchange_weak(held, held + bytes));
    return true;
  }
  void give_back(uint64_t bytes) {
    const uint64_t before = held_.fetch_sub(bytes);
    assert(before >= bytes);
    static_cast<void>(before);
  }
  uint64_t held() const { return held_; }

 private:
  const uint64_t most_;
  std::atomic<uint64_t> held_{0};
};

// A part of a budget that grows, and goes back with the object.
class Share {
 public:
  explicit Share(Budget& budget) : budget_(&budget) {}
  ~Share() { release(); }
  Share(Share&& other) noexcept : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  Share& operator=(Share&&) = delete;

  bool grow(uint64_t bytes) {
    if (!budget_->take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void release() { budget_->give_back(std::exchange(bytes_, 0)); }

 private:
  Budget* budget_;
  uint64_t bytes_ = 0;
};

}  // namespace shingle::serve
