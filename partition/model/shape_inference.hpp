// Shape inference, operator by operator: what shape.hpp's functions share. Each file shape_*.cpp
// has the operators of one kind.
#pragma once

#include <array>
#include <optional>

#include "partition/model/shape.hpp"

namespace shingle {

using Extent = std::array<int64_t, 3>;  // y, x, c before the limits are checked

// The output extents that an operator allows; `usual` lies between `least` and `most`.
struct AllowedShape {
  Extent usual, least, most;
};
using ShapeResult = Result<AllowedShape>;

inline Extent extent_of(Shape shape) { return {shape.h, shape.w, shape.c}; }
inline AllowedShape exactly(Extent extent) { return {extent, extent, extent}; }
inline size_t index_of(Axis axis) { return static_cast<size_t>(axis); }

// None: there is no such constant.
std::optional<int64_t> count_of(const Model& model, ConstantId id);

Status check_groups(int32_t groups, Shape input);

// REQUIRES: as many inputs as the operator has, of valid shapes.
struct Inference {
  const Model& model;
  std::span<const TensorId> inputs;

  Shape shape(size_t input) const { return model.at(inputs[input]).shape; }

  // shape_windows.cpp
  ShapeResult operator()(const Convolution& op) const;
  ShapeResult operator()(const TransposedConvolution& op) const;
  ShapeResult operator()(const Pooling& op) const;
  // shape_maps.cpp
  ShapeResult operator()(const Reduction& op) const;
  ShapeResult operator()(const Elementwise& op) const;
  ShapeResult operator()(const Binary& op) const;
  ShapeResult operator()(const Resize& op) const;
  ShapeResult operator()(const Softmax& op) const;
  ShapeResult operator()(const Convert& op) const;
  ShapeResult operator()(const MatrixProduct& op) const;
  ShapeResult operator()(const GridSample& op) const;
  // shape_moves.cpp
  ShapeResult operator()(const Concat& op) const;
  ShapeResult operator()(const StridedSlice& op) const;
  ShapeResult operator()(const Gather& op) const;
  ShapeResult operator()(const Pad& op) const;
  ShapeResult operator()(const Rearrange& op) const;
  // shape_selections.cpp
  ShapeResult operator()(const Order& op) const;
  ShapeResult operator()(const Take& op) const;
  ShapeResult operator()(const Scatter& op) const;
  ShapeResult operator()(const Suppression& op) const;
  ShapeResult operator()(const NonZero& op) const;
  // shape_recurrence.cpp
  ShapeResult operator()(const Recurrence& op) const;
};

}  // namespace shingle
