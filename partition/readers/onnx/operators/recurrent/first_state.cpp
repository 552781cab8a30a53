#include <algorithm>

#include "partition/readers/onnx/operators/recurrent/layout.hpp"

namespace shingle::onnx {

namespace {

Dims state_dims(const RecurrentLayout& all) {
  if (all.batch_first) return {all.batch, all.directions, all.hidden};
  return {all.directions, all.batch, all.hidden};
}

// Of one direction, a row for each sequence; zeros where the node has no such input.
std::vector<float> constant_states(Node& node, const RecurrentLayout& all, int64_t direction,
                                   std::span<const size_t> inputs) {
  std::vector<float> values;
  node.store().budget.charge(
      checked_elements({all.batch, std::ssize(inputs), all.hidden}, node.store().limits));
  for (int64_t sequence = 0; sequence < all.batch; ++sequence) {
    const int64_t row =
        all.batch_first ? sequence * all.directions + direction : direction * all.batch + sequence;
    for (const size_t input : inputs) {
      for (int64_t i = row * all.hidden; i < (row + 1) * all.hidden; ++i)
        values.push_back(node.has(input) ? node.floats(input).floats[i] : 0.0F);
    }
  }
  return values;
}

TensorId states(Node& node, const RecurrentLayout& all, int64_t direction,
                std::span<const size_t> inputs) {
  const auto batch = static_cast<int32_t>(all.batch), hidden = static_cast<int32_t>(all.hidden);
  const bool constant = std::ranges::all_of(
      inputs, [&](size_t input) { return !node.has(input) || node.is_constant(input); });
  if (constant) {
    const Shape shape{batch, 1, static_cast<int32_t>(std::ssize(inputs)) * hidden};
    return node.constant_tensor(shape, constant_states(node, all, direction, inputs));
  }
  std::vector<TensorId> parts;
  for (const size_t& input : inputs) {
    if (!node.has(input) || node.is_constant(input)) {
      parts.push_back(states(node, all, direction, {&input, 1}));
      continue;
    }
    const Box box = node.box(input);
    const std::vector<Axis> axes = all.batch_first ? std::vector{Axis::y, Axis::c, Axis::c}
                                                   : std::vector{Axis::c, Axis::y, Axis::c};
    TensorId part = node.laid_out(box, arranged(box.view, axes)).tensor;
    if (all.directions > 1) {
      const View view = map_view({all.batch, all.hidden}, {Axis::y, Axis::c});
      part = node.emit(StridedSlice{.begin = {0, 0, static_cast<int32_t>(direction) * hidden}},
                       {part}, view, {batch, 1, hidden})
                 .tensor;
    }
    parts.push_back(part);
  }
  if (parts.size() == 1) return parts[0];
  const int64_t both = 2 * all.hidden;
  return node.emit(Concat{Axis::c}, parts, map_view({all.batch, both}, {Axis::y, Axis::c})).tensor;
}

}  // namespace

std::optional<TensorId> first_state(Node& node, const RecurrentLayout& all, int64_t direction,
                                    std::span<const size_t> inputs) {
  bool any = false;
  for (const size_t input : inputs) {
    if (!node.has(input)) continue;
    any = true;
    if (node.dims(input) != state_dims(all)) {
      node.refuse("its first state " + text_of(node.dims(input)) + " is not " +
                  text_of(state_dims(all)));
    }
    if (node.is_constant(input)) static_cast<void>(node.floats(input));  // refuses integers
  }
  if (!any) return std::nullopt;
  return states(node, all, direction, inputs);
}

}  // namespace shingle::onnx
