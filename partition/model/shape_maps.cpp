// Shapes of arithmetic on maps, and of what combines or reads whole axes.
#include <algorithm>
#include <cmath>

#include "partition/model/shape_inference.hpp"

namespace shingle {

ShapeResult Inference::operator()(const Reduction& op) const {
  const Shape in = shape(0);
  if (op.kind == Reduction::Kind::arg_max) {
    if (int{op.y} + int{op.x} + int{op.c} != 1)
      return Error{"its index is not along exactly one axis"};
    if ((op.y ? in.h : op.x ? in.w : in.c) > max_index) {
      return Error{"its index is too large for a 32-bit float"};
    }
  }
  return exactly({op.y ? 1 : in.h, op.x ? 1 : in.w, op.c ? 1 : in.c});
}

ShapeResult Inference::operator()(const Elementwise&) const { return exactly(extent_of(shape(0))); }

ShapeResult Inference::operator()(const Binary&) const {
  Extent out{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t a = extent_of(shape(0))[axis], b = extent_of(shape(1))[axis];
    if (a != b && a != 1 && b != 1) {
      return Error{"its operands " + to_string(shape(0)) + " and " + to_string(shape(1)) +
                   " cannot be broadcast to one shape"};
    }
    out[axis] = std::max(a, b);
  }
  return exactly(out);
}

ShapeResult Inference::operator()(const Resize& op) const {
  const auto sound_scale = [](float scale) { return std::isfinite(scale) && scale > 0.0F; };
  if (!sound_scale(op.scale_y) || !sound_scale(op.scale_x)) {
    return Error{"its scale is not a positive number"};
  }
  const auto scaled = [](int32_t size, float scale) {
    const double product = std::floor(double{scale} * size);
    return product > max_axis ? int64_t{max_axis} + 1 : static_cast<int64_t>(product);
  };
  const Shape in = shape(0);
  return AllowedShape{{scaled(in.h, op.scale_y), scaled(in.w, op.scale_x), in.c},
                      {1, 1, in.c},
                      {max_axis, max_axis, in.c}};
}

ShapeResult Inference::operator()(const Softmax& op) const {
  if (op.axis != Axis::c && op.groups != 1) return Error{"its groups are not along the channels"};
  const Status groups = check_groups(op.groups, shape(0));
  if (!groups) return groups.failure();
  return exactly(extent_of(shape(0)));
}

ShapeResult Inference::operator()(const Convert& op) const {
  const auto channels = static_cast<size_t>(shape(0).c);
  if (op.scale.size() != channels || op.offset.size() != channels) {
    return Error{"it does not have one scale and one offset for each of " +
                 std::to_string(channels) + " channels"};
  }
  return exactly(extent_of(shape(0)));
}

ShapeResult Inference::operator()(const MatrixProduct& op) const {
  const Shape first = shape(0), second = shape(1);
  for (const Shape& operand : {first, second}) {
    if (op.stack >= 1 && operand.c % op.stack == 0) continue;
    return Error{"its " + std::to_string(operand.c) + " channels do not divide into " +
                 std::to_string(op.stack) + " matrices"};
  }
  const int64_t pixels = int64_t{second.h} * second.w;  // at most max_elements
  if ((op.turned ? second.c / op.stack : pixels) != first.c / op.stack) {
    return Error{"its operands " + to_string(first) + " and " + to_string(second) +
                 " differ in what is summed"};
  }
  return exactly({first.h, first.w, op.turned ? op.stack * pixels : second.c});
}

ShapeResult Inference::operator()(const GridSample&) const {
  const Shape places = shape(0);
  if (places.c != 2) {
    return Error{"its places " + to_string(places) + " are not pairs of coordinates"};
  }
  return exactly({places.h, places.w, shape(1).c});
}

}  // namespace shingle
