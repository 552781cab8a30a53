// RNN, GRU and LSTM. All that does not depend on the state (the input times its weights, and
// biases) is one 1x1 convolution over all steps, for each direction; the rest is a Recurrence.
//
//   X [steps, batch, input]    lies as rows = sequences, columns = steps, channels = features
#include <algorithm>
#include <array>
#include <cmath>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/recurrent/functions.hpp"
#include "partition/readers/onnx/operators/recurrent/layout.hpp"

namespace shingle::onnx {

namespace {

enum Input : size_t { x, w, r, b, lengths, initial_h, initial_c, peepholes };

Recurrence::Kind kind_of(const Node& node) {
  if (node.op() == "RNN") return Recurrence::Kind::rnn;
  return node.op() == "GRU" ? Recurrence::Kind::gru : Recurrence::Kind::lstm;
}

// A constant of exactly these dims.
const Constant& weights(Node& node, size_t input, const Dims& dims, const char* what) {
  const Constant& found = node.floats(input);
  if (found.dims != dims) {
    node.refuse("its " + std::string(what) + " is " + text_of(found.dims) + " where " +
                text_of(dims) + " is expected");
  }
  return found;
}

RecurrentLayout layout_of(Node& node) {
  const Dims dims = node.dims(x), recurrent = node.dims(r);
  if (dims.size() != 3 || recurrent.size() != 3) {
    node.refuse("its input " + text_of(dims) + " and its weights R " + text_of(recurrent) +
                " have not 3 dimensions");
  }
  const int64_t layout = node.integer("layout", 0);
  if (layout != 0 && layout != 1) node.refuse("its layout is " + std::to_string(layout));
  const std::string_view direction = node.text("direction", "forward");
  const bool both = direction == "bidirectional";
  if (!both && direction != "forward" && direction != "reverse") {
    node.refuse("its direction is " + in_quotes(direction) +
                ", and ONNX has forward, reverse and bidirectional");
  }
  const bool batch_first = layout == 1;
  RecurrentLayout all{.kind = kind_of(node),
                      .batch_first = batch_first,
                      .directions = both ? 2 : 1,
                      .steps = dims[batch_first ? 1 : 0],
                      .batch = dims[batch_first ? 0 : 1],
                      .hidden = recurrent[2],
                      .backward = direction == "reverse"};
  constexpr int64_t most_hidden = max_axis / 8;  // so that sizes made of it are integers
  if (all.hidden < 1 || all.hidden > most_hidden ||
      node.integer("hidden_size", all.hidden) != all.hidden) {
    node.refuse("its hidden size " + std::to_string(node.integer("hidden_size", all.hidden)) +
                " does not fit its weights R " + text_of(recurrent));
  }
  weights(node, w, {all.directions, all.gates() * all.hidden, dims[2]}, "W");
  weights(node, r, {all.directions, all.gates() * all.hidden, all.hidden}, "R");
  const int64_t widest = std::max(all.gates(), all.directions) * all.hidden;
  static_cast<void>(node.new_map({all.batch, all.steps, widest}));  // refuses what is too large
  return all;
}

// --- the input's part ---

// What the convolution adds, or (`of_state`) the state's bias of a GRU that resets after the
// product.
std::optional<ConstantId> bias_of(Node& node, const RecurrentLayout& all, int64_t direction,
                                  bool reset_after, bool of_state) {
  if (!node.has(b)) return std::nullopt;
  const int64_t count = all.gates() * all.hidden;
  const Dims dims{all.directions, 2 * count};
  const Constant& given = weights(node, b, dims, "B");
  const FloatView values = given.floats.part(direction * 2 * count, 2 * count);
  const int64_t apart = reset_after ? count - all.hidden : count;  // the last gate
  if (of_state) return node.constant_id(values.part(count + apart, all.hidden));
  node.store().budget.charge(count);
  std::vector<float> sums;
  for (int64_t i = 0; i < count; ++i)
    sums.push_back(i < apart ? values[i] + values[count + i] : values[i]);
  return add_constant(node.model(), std::move(sums));
}

Box gates_of_input(Node& node, const RecurrentLayout& all, const Box& input, int64_t direction,
                   bool reset_after) {
  const FloatView all_weights = node.floats(w).floats;
  const int64_t each = all_weights.count / all.directions;
  return node.emit(
      Convolution{.y = {},
                  .x = {},
                  .groups = 1,
                  .weights = node.constant_id(all_weights.part(direction * each, each)),
                  .bias = bias_of(node, all, direction, reset_after, false)},
      {input.tensor},
      map_view({all.steps, all.batch, all.gates() * all.hidden}, {Axis::x, Axis::y, Axis::c}));
}

// --- what is the same for all directions ---

// Empty if no sequence is shorter than the input.
std::vector<int32_t> lengths_of(Node& node, const RecurrentLayout& all) {
  if (!node.has(lengths)) return {};
  const Constant& given = node.constant(lengths);
  if (!given.integer || given.count() != all.batch) {
    node.refuse("its sequence_lens are not " + std::to_string(all.batch) + " integers");
  }
  node.store().budget.charge(all.batch);
  std::vector<int32_t> list;
  bool shorter = false;
  for (const int64_t length : given.integers) {
    if (length < 0 || length > all.steps) {
      node.refuse("one of its sequence_lens is " + std::to_string(length) +
                  " where its input has " + std::to_string(all.steps) + " steps");
    }
    shorter = shorter || length < all.steps;
    list.push_back(static_cast<int32_t>(length));
  }
  return shorter ? list : std::vector<int32_t>{};
}

float clip_of(const Node& node) {
  if (!node.has_attribute("clip")) return 0.0F;
  const float clip = node.number("clip", 0.0F);
  if (!(clip > 0.0F)) node.refuse("its clip is not above 0");
  return std::isinf(clip) ? 0.0F : clip;
}

Box recurrence(Node& node, const RecurrentLayout& all, const Box& input, int64_t direction,
               Recurrence op) {
  const Constant& given = node.floats(r);
  const int64_t each = given.count() / all.directions;
  const bool lstm = all.kind == Recurrence::Kind::lstm;
  op.weights = node.constant_id(given.floats.part(direction * each, each));
  op.backward = all.backward || direction == 1;
  if (op.reset_after) op.state_bias = bias_of(node, all, direction, true, true);
  if (lstm && node.has(peepholes)) {
    const Dims dims{all.directions, 3 * all.hidden};
    const Constant& all_of_them = weights(node, peepholes, dims, "P");
    op.peepholes =
        node.constant_id(all_of_them.floats.part(direction * 3 * all.hidden, 3 * all.hidden));
  }
  std::vector<TensorId> inputs{gates_of_input(node, all, input, direction, op.reset_after).tensor};
  const std::array<size_t, 2> state{initial_h, initial_c};
  if (const auto first = first_state(node, all, direction, std::span(state).first(lstm ? 2 : 1)))
    inputs.push_back(*first);
  const int64_t channels = lstm ? 2 * all.hidden : all.hidden;
  return node.emit(std::move(op), std::move(inputs),
                   map_view({all.steps, all.batch, channels}, {Axis::x, Axis::y, Axis::c}));
}

}  // namespace

void recurrent(Node& node) {
  const Box given = node.box(x);
  const RecurrentLayout all = layout_of(node);
  const std::vector<Axis> axes = all.batch_first ? std::vector{Axis::y, Axis::x, Axis::c}
                                                 : std::vector{Axis::x, Axis::y, Axis::c};
  const Box input = node.laid_out(given, arranged(given.view, axes));
  const auto functions = recurrent_functions(node, all.kind, static_cast<size_t>(all.directions));
  Recurrence op;
  op.kind = all.kind;
  op.hidden = static_cast<int32_t>(all.hidden);
  op.clip = clip_of(node);
  op.input_forget = node.integer("input_forget", 0) != 0;
  op.reset_after = all.kind == Recurrence::Kind::gru && node.integer("linear_before_reset", 0) != 0;
  op.lengths = lengths_of(node, all);
  std::vector<Box> directions;
  for (int64_t direction = 0; direction < all.directions; ++direction) {
    op.activations = functions[static_cast<size_t>(direction)];
    directions.push_back(recurrence(node, all, input, direction, op));
  }
  set_outputs(node, all, directions, op.lengths);
}

}  // namespace shingle::onnx
