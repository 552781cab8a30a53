// Concat along any digit of an axis, provided that all operands have the same layout.
//
// A concatenation along the first digit of an axis is a Concat layer. Along an inner digit, the
// operands' channels interleave. Then a Gather reorders the concatenation; it moves channels but
// needs no wider region of the map.
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t most_operands =
    4096;  // the search for an operand's place visits all operands before it

// The dims of the value with `size` along the concatenated dim; refuses operands that differ.
Dims joined_dims(Node& node, size_t dim) {
  Dims dims = node.dims(0);
  dims[dim] = 0;
  for (size_t input = 0; input < node.inputs(); ++input) {
    Dims other = node.dims(input);
    if (other.size() != dims.size()) node.refuse("its operands differ in dimensions");
    const int64_t size = other[dim];
    other[dim] = dims[dim];
    if (other != dims) {
      node.refuse("its operands " + text_of(node.dims(0)) + " and " + text_of(node.dims(input)) +
                  " differ off the joined dimension");
    }
    dims[dim] += size;
  }
  return dims;
}

// The digit that `dim` is in all operands, if they can be concatenated without a move.
std::optional<Digit> common_digit(Node& node, size_t dim) {
  std::optional<Digit> common;
  for (size_t input = 0; input < node.inputs(); ++input) {
    if (node.is_constant(input)) continue;
    const View view = node.box(input).view;
    const bool better = !common || (common->view.factors[static_cast<size_t>(common->factor)] == 1);
    if (better) common = digit_of(view, dim);
    if (!common) return std::nullopt;
  }
  for (size_t input = 0; common && input < node.inputs(); ++input) {
    if (node.is_constant(input)) continue;
    const View view = node.box(input).view;
    if (resized(*common, size_of(view, dim)) != view) return std::nullopt;
  }
  return common;
}

// Where the dims lie if operands must move: rows of features keep these in the channels.
std::vector<Axis> axes_of_join(Node& node, const Dims& dims) {
  for (size_t input = 0; input < node.inputs(); ++input) {
    if (!node.is_constant(input) && has_channels_last(node.box(input).view))
      return channels_last_axes(dims.size());
  }
  return map_axes(dims);
}

// After a plain Concat the axis is [operand][outer][part][inner]; the result must be
// [outer][operand][part][inner].
std::vector<int32_t> interleaved(const Digit& digit, const Dims& parts) {
  std::vector<int32_t> order;
  for (int64_t outer = 0; outer < digit.outer; ++outer) {
    int64_t begin = 0;
    for (const int64_t part : parts) {
      const int64_t run = part * digit.inner;
      for (int64_t i = 0; i < run; ++i) {
        order.push_back(static_cast<int32_t>(begin + outer * run + i));
      }
      begin += digit.outer * run;
    }
  }
  return order;
}

void join(Node& node, size_t dim, const Dims& dims) {
  const std::optional<Digit> lying = common_digit(node, dim);
  const std::vector<Axis> axes = axes_of_join(node, dims);
  const Digit digit = lying ? *lying : *digit_of(map_view(dims, axes), dim);
  std::vector<TensorId> operands;
  Dims parts;
  for (size_t input = 0; input < node.inputs(); ++input) {
    if (node.dims(input)[dim] == 0) continue;
    parts.push_back(node.dims(input)[dim]);
    if (node.is_constant(input)) {
      operands.push_back(spread(node, resized(digit, parts.back()), node.constant(input)));
    } else {
      const Box box = node.box(input);
      operands.push_back(lying ? box.tensor : node.laid_out(box, arranged(box.view, axes)).tensor);
    }
  }
  const View view = resized(digit, dims[dim]);
  const Box box = node.emit(Concat{digit.axis}, std::move(operands), view);
  if (digit.outer == 1) return node.set(box);
  node.store().budget.charge(digit.outer * dims[dim] * digit.inner);
  node.set(node.emit(Gather{.axis = digit.axis, .indices = interleaved(digit, parts)}, {box.tensor},
                     view));
}

}  // namespace

void concat(Node& node) {
  if (node.inputs() > most_operands) {
    node.refuse("it joins more than " + std::to_string(most_operands) + " operands");
  }
  const size_t dim = node.axis(node.integer("axis", 1), node.dims(0).size());
  if (node.inputs() == 1) return node.set(node.value(0));
  if (node.all_constant()) {
    std::vector<const Constant*> parts;
    for (size_t input = 0; input < node.inputs(); ++input) parts.push_back(&node.constant(input));
    return node.set(joined(node, parts, dim));
  }
  const Dims dims = joined_dims(node, dim);
  node.new_map(dims);  // refuses sizes beyond the limits
  join(node, dim, dims);
}

}  // namespace shingle::onnx
