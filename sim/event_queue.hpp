// What is still to happen, ordered by (time, sequence): two things of one time happen in the order
// in which they were planned, so a run is a function of its seed.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include "runtime/time.hpp"

namespace shingle::sim {

template <class Happening>
class EventQueue {
 public:
  // REQUIRES: `at` is not before the last one taken.
  void push(Time at, Happening happening) {
    assert(at >= now_);
    heap_.push_back({at, sequence_++, std::move(happening)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  bool empty() const { return heap_.empty(); }
  Time next_at() const { return heap_.front().at; }  // REQUIRES: not empty
  Time now() const { return now_; }

  Happening take() {  // REQUIRES: not empty
    std::pop_heap(heap_.begin(), heap_.end(), later);
    now_ = heap_.back().at;
    Happening happening = std::move(heap_.back().happening);
    heap_.pop_back();
    return happening;
  }

 private:
  struct Entry {
    Time at;
    uint64_t sequence;
    Happening happening;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  uint64_t sequence_ = 0;
  Time now_{};
};

}  // namespace shingle::sim
