// View: how an ONNX value reads the box of a tensor.
//
// A box has three axes (y, x, c); a value has any number of dims. Both are mixed-radix numbers over
// the same factors, most significant first. So a reshape or a transpose only changes which factors
// make up each dim, and moves nothing:
//
//   step                           factors    box                     dims
//   a map of 8 channels on 4x6     4 6 8      y=[4] x=[6] c=[8]       1 [8] [4] [6]
//   Reshape to 1x2x4x4x6           4 6 2 4    y=[4] x=[6] c=[2 4]     1 [2] [4] [4] [6]
//   Transpose of the inner two     the same   the same                1 [4] [2] [4] [6]
//   Reshape to 1x8x4x6             the same   the same                1 [4 2] [4] [6]
//
// The last step completes a channel shuffle. Only an operator that needs the value as a map of its
// own turns this into a Rearrange layer.
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

// Every factor is in exactly one axis of `box` and in exactly one dim.
struct View {
  std::vector<int32_t> factors;
  BoxAxes box;                             // factor indices of y, x, c
  std::vector<std::vector<int32_t>> dims;  // factor indices of each dim; empty: size 1
  friend bool operator==(const View&, const View&) = default;
};

Dims sizes(const View& view);
int64_t size_of(const View& view, size_t dim);
Shape box_shape(const View& view);

// The same view in normal form: factors of size 1 are dropped, factors that are neighbours both in
// their axis and in their dim are joined, and factors are numbered in the order y, x, c. Two views
// read the same box in the same way if and only if their normal forms are equal. Every function
// below returns normal forms.
View normalised(const View& view);

// The axis of each dim of a value that is laid out as a map of its own: [1, C, H, W], [C, H, W],
// [1, C, L], [C, L], [1, C], [C]; with more dims, all but the last two are channels.
std::vector<Axis> map_axes(const Dims& dims);

// The view of a value of `dims`, each laid out in the axis that `axes` names; map_axes by default.
// REQUIRES: sizes from 1 and within limits, and their product too.
View map_view(const Dims& dims, const std::vector<Axis>& axes);
View map_view(const Dims& dims);

View transposed(const View& view, std::span<const int64_t> permutation);

// None: the cut between two dims falls inside a factor that it does not divide.
std::optional<View> reshaped(const View& view, const Dims& dims);

// The dims of `view`, each laid out in the axis that `axes` names, in order. Factor indices are
// those of `view`.
BoxAxes arranged(const View& view, const std::vector<Axis>& axes);

// The axis of each dim, if each lies in one axis of the box and those that share an axis are in
// order; a dim of size 1 counts as channels. So `arranged` with these axes moves nothing.
std::optional<std::vector<Axis>> lying_axes(const View& view);

// The last dim is the channels, and no other dim is: rows of features, or a map of [1, H, W, C].
bool has_channels_last(const View& view);
std::vector<Axis> channels_last_axes(size_t rank);  // ... y, x, c

// A box in which the dims marked in `marked` make up the whole channel axis, in order. Factors that
// were there move to the end of x; the others stay.
BoxAxes isolated(const View& view, const std::vector<bool>& marked);

// The axis that consists of exactly the marked dims, in any order.
std::optional<Axis> axis_of(const View& view, const std::vector<bool>& marked);

// Each axis that consists of marked dims only; none if some marked dims share an axis with others.
std::optional<std::array<bool, 3>> whole_axes(const View& view, const std::vector<bool>& marked);

// The marked dims reduced to size 1.
View collapsed(const View& view, const std::vector<bool>& marked);

// Adds leading dims of size 1. REQUIRES: rank >= the view's.
View padded(const View& view, size_t rank);

// The same dims in another box. REQUIRES: `box` holds every factor of `view` once.
View laid_out(const View& view, const BoxAxes& box);

// One dim as a single digit within one axis of the box. This makes it possible to select or to
// concatenate along it without moving other elements.
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
