// Shapes of what moves elements to places that are known when a file is read.
#include "partition/model/digits.hpp"
#include "partition/model/shape_inference.hpp"

namespace shingle {

ShapeResult Inference::operator()(const Concat& op) const {
  Extent out = extent_of(shape(0));
  const size_t along = index_of(op.axis);
  for (size_t input = 1; input < inputs.size(); ++input) {
    Extent next = extent_of(shape(input));
    out[along] += next[along];
    next[along] = out[along];
    if (next != out) {
      return Error{"its operands " + to_string(shape(0)) + " and " + to_string(shape(input)) +
                   " differ on an axis that is not concatenated"};
    }
    if (out[along] > max_axis) return Error{"its output is too large"};
  }
  return exactly(out);
}

ShapeResult Inference::operator()(const StridedSlice& op) const {
  Extent out{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t size = extent_of(shape(0))[axis], begin = op.begin[axis], step = op.step[axis];
    if (step == 0 || begin < 0 || begin >= size) {
      return Error{"its slice begins off the map or has step 0"};
    }
    out[axis] = step > 0 ? (size - 1 - begin) / step + 1 : begin / -step + 1;
  }
  return AllowedShape{out, {1, 1, 1}, out};
}

ShapeResult Inference::operator()(const Gather& op) const {
  Extent out = extent_of(shape(0));
  for (int32_t index : op.indices) {
    if (index < 0 || index >= out[index_of(op.axis)]) {
      return Error{"its index " + std::to_string(index) + " lies off the map " +
                   to_string(shape(0))};
    }
  }
  out[index_of(op.axis)] = static_cast<int64_t>(op.indices.size());
  return exactly(out);
}

ShapeResult Inference::operator()(const Pad& op) const {
  Extent out = extent_of(shape(0));
  for (size_t axis = 0; axis < 3; ++axis) {
    if (op.before[axis] < 0 || op.after[axis] < 0) return Error{"its padding is negative"};
    out[axis] += int64_t{op.before[axis]} + op.after[axis];
  }
  return exactly(out);
}

ShapeResult Inference::operator()(const Rearrange& op) const {
  const Extent in = extent_of(shape(0));
  Extent out{};
  if (op.factors.size() > max_factors) return Error{"it has too many factors"};
  if (!each_factor_once(op.factors, op.input_axes) ||
      !each_factor_once(op.factors, op.output_axes)) {
    return Error{"its factors do not each stand once in its input and output axes"};
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    if (product(op.factors, op.input_axes[axis]) != in[axis]) {
      return Error{"its factors do not make up the input " + to_string(shape(0))};
    }
    out[axis] = product(op.factors, op.output_axes[axis]).value_or(0);
  }
  return exactly(out);
}

}  // namespace shingle
