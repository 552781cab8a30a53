// DueTimes: when each of many numbered things is due, and which is the first. A heap in which the
// time of a thing can be changed.
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "partition/base/time.hpp"

namespace shingle {

class DueTimes {
 public:
  bool empty() const { return heap_.empty(); }
  Time first_time() const { return heap_.front().at; }  // REQUIRES: not empty
  // Of equal times the thing with the lowest number. REQUIRES: not empty.
  uint32_t first() const { return heap_.front().thing; }

  void set(uint32_t thing, Time at) {
    if (thing >= places_.size()) places_.resize(thing + 1, nowhere);
    size_t place = places_[thing];
    if (place == nowhere) {
      place = heap_.size();
      heap_.push_back({at, thing});
      return rise(place);
    }
    const bool sooner = at < heap_[place].at;
    heap_[place].at = at;
    sooner ? rise(place) : sink(place);
  }

  void remove(uint32_t thing) {  // nothing, if it is not due
    if (thing >= places_.size() || places_[thing] == nowhere) return;
    const size_t place = places_[thing];
    places_[thing] = nowhere;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (last.thing == thing) return;
    heap_[place] = last;
    places_[last.thing] = place;
    rise(place);
    sink(places_[last.thing]);
  }

 private:
  static constexpr size_t nowhere = SIZE_MAX;
  struct Entry {
    Time at{};
    uint32_t thing = 0;
    bool operator<(const Entry& other) const {
      return at != other.at ? at < other.at : thing < other.thing;
    }
  };

  void rise(size_t place) {
    const Entry entry = heap_[place];
    for (; place > 0 && entry < heap_[(place - 1) / 2]; place = (place - 1) / 2)
      put(place, heap_[(place - 1) / 2]);
    put(place, entry);
  }
  void sink(size_t place) {
    const Entry entry = heap_[place];
    for (size_t child = 2 * place + 1; child < heap_.size(); child = 2 * place + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < entry)) break;
      put(place, heap_[child]);
      place = child;
    }
    put(place, entry);
  }
  void put(size_t place, Entry entry) {
    heap_[place] = entry;
    places_[entry.thing] = place;
  }

  std::vector<Entry> heap_;
  std::vector<size_t> places_;  // by thing
};

}  // namespace shingle
