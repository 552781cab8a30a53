// Bands: a region cut for threads along its rows, or along its columns if it has fewer rows than
// threads. Cutting changes no bit: a band is computed like a whole region.
#pragma once

#include <algorithm>

#include "partition/model/region.hpp"

namespace shingle {

class Bands {
 public:
  // Four bands for each thread, so that the others can take over the share of a late one. With one
  // thread: one band.
  // REQUIRES: threads >= 1.
  Bands(const Region& region, int threads) : Bands(region, threads, threads == 1 ? 1 : 4) {}

  // `each` bands for each thread.
  Bands(const Region& region, int threads, int each)
      : region_(region), axis_(region.y.size() >= threads ? &Region::y : &Region::x) {
    count_ = std::min(each * threads, (region.*axis_).size());
  }

  int count() const { return count_; }  // 0 for an empty region and several threads

  // The bands lie one behind the other, none is empty, and together they cover the region.
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
