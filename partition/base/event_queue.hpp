// What is still to happen, ordered by (time, sequence): two things of one time happen in the order
// in which they were planned, so a run is a function of its seed.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "partition/base/time.hpp"

namespace shingle {

template <class SimEvent>
class EventQueue {
 public:
  // REQUIRES: `at` is not before the last one taken.
  void push(Time at, SimEvent event) {
    assert(at >= now_);
    heap_.push_back({at, sequence_++, keep(std::move(event))});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  bool empty() const { return heap_.empty(); }
  Time next_at() const { return heap_.front().at; }  // REQUIRES: not empty
  Time now() const { return now_; }

  SimEvent take() {  // REQUIRES: not empty
    std::pop_heap(heap_.begin(), heap_.end(), later);
    now_ = heap_.back().at;
    const uint32_t place = heap_.back().place;
    heap_.pop_back();
    SimEvent event = std::move(*kept_[place]);
    kept_[place].reset();
    free_.push_back(place);
    return event;
  }

 private:
  // Heap operations move entries. An event is large, so the entry holds its index only.
  struct Entry {
    Time at;
    uint64_t sequence;
    uint32_t place;  // in kept_
  };
  uint32_t keep(SimEvent event) {
    if (free_.empty()) {
      kept_.emplace_back(std::move(event));
      return static_cast<uint32_t>(kept_.size() - 1);
    }
    const uint32_t place = free_.back();
    free_.pop_back();
    kept_[place].emplace(std::move(event));
    return place;
  }
  static bool later(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }

  std::vector<Entry> heap_;
  std::vector<std::optional<SimEvent>> kept_;
  std::vector<uint32_t> free_;  // unused indices of kept_
  uint64_t sequence_ = 0;
  Time now_{};
};

}  // namespace shingle
