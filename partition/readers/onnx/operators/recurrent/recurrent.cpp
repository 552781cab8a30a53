// RNN, GRU and LSTM. All that does not depend on the state (the input times its weights, and
// biases) is one 1x1 convolution over all steps, for each direction; the rest is a Recurrence.
//
//   X [steps, batch, input]    lies as rows = sequences, columns = steps, channels = features
#include <algorithm>
#include <cmath>

#include "partition/base/text.hpp"
#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/recurrent/functions.hpp"

namespace shingle::onnx {

namespace {

enum Input : size_t { x, w, r, b, lengths, initial_h, initial_c, peepholes };
enum Output : size_t { y, y_h, y_c };

// What the node says of all its directions.
struct Layout {
  Recurrence::Kind kind;
  bool batch_first = false;
  int64_t directions = 1, steps = 0, batch = 0, hidden = 0;
  bool backward = false;  // the first direction

  int64_t gates() const { return gates_of(kind); }
};

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

Layout layout_of(Node& node) {
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
  Layout all{.kind = kind_of(node),
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
std::optional<ConstantId> bias_of(Node& node, const Layout& all, int64_t direction,
                                  bool reset_after, bool of_state) {
  if (!node.has(b)) return std::nullopt;
  const int64_t count = all.gates() * all.hidden;
  const Constant& given = weights(node, b, {all.directions, 2 * count}, "B");
  const FloatView values = given.floats.part(direction * 2 * count, 2 * count);
  const int64_t apart = reset_after ? count - all.hidden : count;  // the last gate
  if (of_state) return node.constant_id(values.part(count + apart, all.hidden));
  node.store().budget.charge(count);
  std::vector<float> sums;
  for (int64_t i = 0; i < count; ++i)
    sums.push_back(i < apart ? values[i] + values[count + i] : values[i]);
  return add_constant(node.model(), std::move(sums));
}

Box gates_of_input(Node& node, const Layout& all, const Box& input, int64_t direction,
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

// --- the first state ---

Dims state_dims(const Layout& all) {
  if (all.batch_first) return {all.batch, all.directions, all.hidden};
  return {all.directions, all.batch, all.hidden};
}

// Of one direction, a row for each sequence; zeros where the node has no such input.
std::vector<float> constant_states(Node& node, const Layout& all, int64_t direction,
                                   std::span<const Input> inputs) {
  std::vector<float> values;
  node.store().budget.charge(
      checked_elements({all.batch, std::ssize(inputs), all.hidden}, node.store().limits));
  for (int64_t sequence = 0; sequence < all.batch; ++sequence) {
    const int64_t row =
        all.batch_first ? sequence * all.directions + direction : direction * all.batch + sequence;
    for (const Input input : inputs) {
      for (int64_t i = row * all.hidden; i < (row + 1) * all.hidden; ++i)
        values.push_back(node.has(input) ? node.floats(input).floats[i] : 0.0F);
    }
  }
  return values;
}

TensorId states(Node& node, const Layout& all, int64_t direction, std::span<const Input> inputs) {
  const auto batch = static_cast<int32_t>(all.batch), hidden = static_cast<int32_t>(all.hidden);
  const bool constant = std::ranges::all_of(
      inputs, [&](Input input) { return !node.has(input) || node.is_constant(input); });
  if (constant) {
    const Shape shape{batch, 1, static_cast<int32_t>(std::ssize(inputs)) * hidden};
    return node.constant_tensor(shape, constant_states(node, all, direction, inputs));
  }
  std::vector<TensorId> parts;
  for (const Input& input : inputs) {
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

std::optional<TensorId> first_state(Node& node, const Layout& all, int64_t direction) {
  static constexpr std::array both{initial_h, initial_c};
  const bool lstm = all.kind == Recurrence::Kind::lstm;
  const std::span<const Input> inputs = std::span(both).first(lstm ? 2 : 1);
  bool any = false;
  for (const Input input : inputs) {
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

// --- what is the same for all directions ---

// Empty if no sequence is shorter than the input.
std::vector<int32_t> lengths_of(Node& node, const Layout& all) {
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

Box recurrence(Node& node, const Layout& all, const Box& input, int64_t direction, Recurrence op) {
  const Constant& given = node.floats(r);
  const int64_t each = given.count() / all.directions;
  const bool lstm = all.kind == Recurrence::Kind::lstm;
  op.weights = node.constant_id(given.floats.part(direction * each, each));
  op.backward = all.backward || direction == 1;
  if (op.reset_after) op.state_bias = bias_of(node, all, direction, true, true);
  if (lstm && node.has(peepholes)) {
    const Constant& all_of_them = weights(node, peepholes, {all.directions, 3 * all.hidden}, "P");
    op.peepholes =
        node.constant_id(all_of_them.floats.part(direction * 3 * all.hidden, 3 * all.hidden));
  }
  std::vector<TensorId> inputs{gates_of_input(node, all, input, direction, op.reset_after).tensor};
  if (const std::optional<TensorId> first = first_state(node, all, direction))
    inputs.push_back(*first);
  const int64_t channels = lstm ? 2 * all.hidden : all.hidden;
  return node.emit(std::move(op), std::move(inputs),
                   map_view({all.steps, all.batch, channels}, {Axis::x, Axis::y, Axis::c}));
}

// --- outputs ---

// Parts of the directions' maps side by side, read as [steps, directions, batch, hidden].
class Outputs {
 public:
  Outputs(Node& node, const Layout& all, std::vector<Box> directions,
          const std::vector<int32_t>& lengths)
      : node_(node), all_(all), directions_(std::move(directions)), lengths_(lengths) {}

  void set(Output output) {
    if (!node_.makes(output)) return;
    const bool last = output != y;
    const int64_t steps = last ? 1 : all_.steps;
    std::vector<TensorId> parts;
    for (size_t direction = 0; direction < directions_.size(); ++direction)
      parts.push_back(part(direction, output == y_c, last));
    const View side_by_side = map_view({steps, all_.batch, all_.directions, all_.hidden},
                                       {Axis::x, Axis::y, Axis::c, Axis::c});
    Box box{.tensor = parts[0], .view = side_by_side};
    if (parts.size() > 1) box = node_.emit(Concat{Axis::c}, parts, side_by_side);
    const Dims order = all_.batch_first ? Dims{1, 0, 2, 3} : Dims{0, 2, 1, 3};
    box.view = transposed(box.view, order);
    if (last) box.view.dims.erase(box.view.dims.begin() + (all_.batch_first ? 1 : 0));
    node_.set(output, box);
  }

 private:
  TensorId part(size_t direction, bool cell, bool last) {
    const Box& box = directions_[direction];
    const auto hidden = static_cast<int32_t>(all_.hidden), batch = static_cast<int32_t>(all_.batch);
    const auto steps = static_cast<int32_t>(all_.steps);
    const bool backward = all_.backward || direction == 1,
               one = last && (backward || lengths_.empty());
    const int32_t step = one && !backward ? steps - 1 : 0, count = one ? 1 : steps;
    TensorId part = box.tensor;
    if (all_.kind == Recurrence::Kind::lstm || count != steps) {
      const View view = map_view({count, batch, hidden}, {Axis::x, Axis::y, Axis::c});
      const StridedSlice slice{.begin = {0, step, cell ? hidden : 0}};
      part = node_.emit(slice, {part}, view, {batch, count, hidden}).tensor;
    }
    return last && !one ? last_of_each(part) : part;
  }

  // Sequences end at different steps: all steps but the last one of each become 0, and are summed.
  TensorId last_of_each(TensorId part) {
    const auto batch = static_cast<int32_t>(all_.batch), steps = static_cast<int32_t>(all_.steps);
    node_.store().budget.charge(int64_t{batch} * steps);
    std::vector<float> ends(static_cast<size_t>(batch) * static_cast<size_t>(steps), 0.0F);
    for (int64_t row = 0; row < batch; ++row) {
      const int32_t length = lengths_[static_cast<size_t>(row)];
      if (length > 0) ends[static_cast<size_t>(row * steps + length - 1)] = 1.0F;
    }
    const TensorId mask = node_.constant_tensor({batch, steps, 1}, std::move(ends));
    const auto view = [&](int64_t count) {
      return map_view({count, all_.batch, all_.hidden}, {Axis::x, Axis::y, Axis::c});
    };
    const Box kept = node_.emit(Binary{Binary::Kind::keep}, {part, mask}, view(steps));
    const Reduction sum{.kind = Reduction::Kind::sum, .x = true};
    return node_.emit(sum, {kept.tensor}, view(1)).tensor;
  }

  Node& node_;
  const Layout& all_;
  const std::vector<Box> directions_;
  const std::vector<int32_t>& lengths_;
};

}  // namespace

void recurrent(Node& node) {
  const Box given = node.box(x);
  const Layout all = layout_of(node);
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
  Outputs outputs(node, all, std::move(directions), op.lengths);
  for (const Output output : {y, y_h}) outputs.set(output);
  if (all.kind == Recurrence::Kind::lstm) outputs.set(y_c);
}

}  // namespace shingle::onnx
