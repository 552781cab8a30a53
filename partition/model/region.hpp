// Region: a half-open box of a feature map, in height, width and channel.
//
//            x.begin      x.end
//        +-----+------------+----- w
//        |     :            :
//  y.begin ....+============+        every pixel of the box holds the channels [c.begin, c.end)
//        |     |   Region   |
//    y.end ....+============+
//        h
//
// Feature maps lie in memory as (y, x, c) with c innermost (NHWC without the N: one frame).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace shingle {

struct Span {
  int32_t begin = 0, end = 0;
  int32_t size() const { return end > begin ? end - begin : 0; }
  bool empty() const { return end <= begin; }
  friend bool operator==(const Span&, const Span&) = default;
};

struct Shape {
  int32_t h = 1, w = 1, c = 1;
  int64_t elements() const { return int64_t{h} * w * c; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Region {
  Span y, x, c;
  bool empty() const { return y.empty() || x.empty() || c.empty(); }
  Shape shape() const { return {y.size(), x.size(), c.size()}; }
  int64_t elements() const { return empty() ? 0 : shape().elements(); }
  friend bool operator==(const Region&, const Region&) = default;
};

Region whole(Shape shape);
Span intersect(Span a, Span b);  // empty spans are normalised to {0, 0}
Region intersect(const Region& a, const Region& b);
Span hull(Span a, Span b);  // the smallest span holding both; an empty one adds nothing
Region hull(const Region& a, const Region& b);
bool contains(const Region& outer, const Region& inner);  // the empty region is in every region

// `a` without `b`: at most six disjoint boxes that cover exactly the difference, in (y, x, c)
// order.
std::vector<Region> subtract(const Region& a, const Region& b);

// Disjoint boxes that cover exactly the union of `boxes`. Earlier boxes stay whole where possible.
std::vector<Region> disjoint_union(const std::vector<Region>& boxes);

std::string to_string(Span span);             // "4..8"
std::string to_string(const Region& region);  // "y 0..4 x 2..8 c 0..16"
std::string to_string(Shape shape);           // "608x608x3" as h x w x c

}  // namespace shingle
