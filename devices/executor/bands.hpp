// Bands: a region cut for threads, along its rows, or along its columns where there are fewer rows
// than threads. Every band is computed as if it were all.
#pragma once

#include <algorithm>

#include "partition/model/region.hpp"

namespace shingle {

class Bands {
 public:
  // Four for each thread, so that one that is late leaves its share to the others; one for one.
  // REQUIRES: threads >= 1.
  Bands(const Region& region, int threads)
      : region_(region), axis_(region.y.size() >= threads ? &Region::y : &Region::x) {
    count_ = threads == 1 ? 1 : std::min(4 * threads, (region.*axis_).size());
  }

  int count() const { return count_; }  // 0 of an empty region that several threads share

  // The bands follow each other, are never empty and together are the region.
  Region operator[](int index) const {
    const Span all = region_.*axis_;
    const auto border = [&](int64_t i) {
      return all.begin + static_cast<int32_t>(all.size() * i / count_);
    };
    Region band = region_;
    band.*axis_ = {border(index), border(int64_t{index} + 1)};
    return band;
  }

 private:
  Region region_;
  Span Region::*axis_;
  int count_ = 1;
};

}  // namespace shingle
