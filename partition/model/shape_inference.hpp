// Shape inference, operator by operator: what shape.hpp's functions share. Each file shape_*.cpp
// has the operators of one kind.
#pragma once

#include <array>
#include <optional>

#include "partition/model/shape.hpp"

namespace shingle {

using Extent = std::array<int64_t, 3>;  // y, x, c before the limits are checked

// The output extents that an operator allows; `usual` lies between `least` and `most`.
struct Allowed {
  Extent usual, least, most;
};
using AllowedResult = Result<Allowed>;

inline Extent extent_of(Shape shape) { return {shape.h, shape.w, shape.c}; }
inline Allowed exactly(Extent extent) { return {extent, extent, extent}; }
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
  AllowedResult operator()(const Convolution& op) const;
  AllowedResult operator()(const TransposedConvolution& op) const;
  AllowedResult operator()(const Pooling& op) const;
  // shape_maps.cpp
  AllowedResult operator()(const Reduction& op) const;
  AllowedResult operator()(const Elementwise& op) const;
  AllowedResult operator()(const Binary& op) const;
  AllowedResult operator()(const Resize& op) const;
  AllowedResult operator()(const Softmax& op) const;
  AllowedResult operator()(const Convert& op) const;
  AllowedResult operator()(const MatrixProduct& op) const;
  AllowedResult operator()(const GridSample& op) const;
  // shape_moves.cpp
  AllowedResult operator()(const Concat& op) const;
  AllowedResult operator()(const StridedSlice& op) const;
  AllowedResult operator()(const Gather& op) const;
  AllowedResult operator()(const Pad& op) const;
  AllowedResult operator()(const Rearrange& op) const;
  // shape_selections.cpp
  AllowedResult operator()(const Order& op) const;
  AllowedResult operator()(const Take& op) const;
  AllowedResult operator()(const Scatter& op) const;
  AllowedResult operator()(const Suppression& op) const;
  AllowedResult operator()(const NonZero& op) const;
  // shape_recurrence.cpp
  AllowedResult operator()(const Recurrence& op) const;
};

}  // namespace shingle
