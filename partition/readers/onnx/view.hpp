// View: how an ONNX value reads the box of a tensor.
//
// A box has three axes (y, x, c); a value has any number of dims. Both are mixed-radix numbers over
// the same factors, most significant first, so that a reshape or a transpose only changes how the
// dims are made up, and moves nothing:
//
//   a map of 8 channels on 4x6            factors 4 6 8      y=[4] x=[6] c=[8]   dims 1 [8] [4] [6]
//   Reshape to 1x2x4x4x6 splits the 8     factors 4 6 2 4    y=[4] x=[6] c=[2 4] dims 1 [2] [4] [4]
//   [6] Transpose exchanges two dims                             the same            dims 1 [4] [2]
//   [4] [6] Reshape to 1x8x4x6: a channel shuffle                    the same            dims 1 [4
//   2] [4] [6]
//
// Only an operator that needs the value as a map in its own right makes this a Rearrange layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partition/model/digits.hpp"
#include "partition/model/operator.hpp"
#include "partition/model/region.hpp"

namespace shingle::onnx {

using Dims = std::vector<int64_t>;

// Every factor stands in exactly one axis of `box` and in exactly one dim.
struct View {
  std::vector<int32_t> factors;
  BoxAxes box;                             // factor indices of y, x, c
  std::vector<std::vector<int32_t>> dims;  // factor indices of each dim; empty: size 1
  friend bool operator==(const View&, const View&) = default;
};

Dims sizes(const View& view);
int64_t size_of(const View& view, size_t dim);
Shape box_shape(const View& view);

// The same view in its one normal form: factors of size 1 dropped, factors joined that stand next
// to each other in their axis and in their dim, numbered in the order y, x, c. Two views read the
// same box alike exactly if their normal forms are equal. Every function below returns normal
// forms.
View normalised(const View& view);

// Which axis each dim of a value belongs to when it is laid out as a map of its own:
// [1, C, H, W], [C, H, W], [1, C, L], [C, L], [1, C], [C]; with more dims, all but the last two are
// channels.
std::vector<Axis> map_axes(const Dims& dims);

// The view of a value of `dims`, each laid into the axis that `axes` names; map_axes by default.
// REQUIRES: sizes from 1 and within limits, their product too.
View map_view(const Dims& dims, const std::vector<Axis>& axes);
View map_view(const Dims& dims);

View transposed(const View& view, std::span<const int64_t> permutation);

// None: the cut between two dims falls inside a factor that it does not divide.
std::optional<View> reshaped(const View& view, const Dims& dims);

// The dims of `view`, each laid into the axis that `axes` names, in order. Factor indices are those
// of `view`.
BoxAxes arranged(const View& view, const std::vector<Axis>& axes);

// A box in which the dims marked in `marked` make up the whole channel axis, in order; what else
// was there goes to the end of x, the rest stays.
BoxAxes isolated(const View& view, const std::vector<bool>& marked);

// The axis that the marked dims make up alone and whole, in any order.
std::optional<Axis> axis_of(const View& view, const std::vector<bool>& marked);

// Each axis that the marked dims make up whole; none if some of them share an axis with others.
std::optional<std::array<bool, 3>> whole_axes(const View& view, const std::vector<bool>& marked);

// The marked dims reduced to size 1.
View collapsed(const View& view, const std::vector<bool>& marked);

// Leading dims of size 1 put in front. REQUIRES: rank >= the view's.
View padded(const View& view, size_t rank);

// The same dims on another box. REQUIRES: `box` holds every factor of `view` once.
View laid_out(const View& view, const BoxAxes& box);

// One dim as a single digit within one axis of the box; what makes it possible to select along it
// or to join along it without moving the rest.
struct Digit {
  View view;           // with the dim's factor kept even if its size is 1: not in normal form
  int32_t factor = 0;  // its index
  Axis axis = Axis::c;
  int64_t outer = 1,
          inner = 1;  // products of the more and the less significant factors of the axis
};

// None: the dim is made up of several factors. A dim of size 1 becomes the first digit of c.
std::optional<Digit> digit_of(const View& view, size_t dim);

// The view with that digit's size changed.
View resized(const Digit& digit, int64_t size);

}  // namespace shingle::onnx
