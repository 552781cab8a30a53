#include "partition/readers/onnx/patterns/chains.hpp"

#include <algorithm>
#include <cmath>

#include "partition/readers/onnx/operators/broadcast.hpp"

namespace shingle::onnx {

namespace {

// Steps beyond these stay by themselves: masks, and sums that round on purpose (1.5 * 2^23).
constexpr float largest_shift = 65536.0F, largest_scale = 1e6F;

bool is_moderate(const Affine& affine) {
  const auto shifts = [](float shift) { return std::fabs(shift) <= largest_shift; };
  const auto scales = [](float scale) {
    return std::fabs(scale) <= largest_scale && std::fabs(scale) >= 1.0F / largest_scale;
  };
  return std::ranges::all_of(affine.shift, shifts) && std::ranges::all_of(affine.scale, scales);
}

bool shifts(const Affine& affine) {
  return std::ranges::any_of(affine.shift, [](float shift) { return shift != 0.0F; });
}

int layers_of(const Affine& affine) { return (scales(affine) ? 1 : 0) + (shifts(affine) ? 1 : 0); }

// `second` after `first`.
Affine composed(const Affine& first, const Affine& second) {
  Affine result = first;
  for (size_t m = 0; m < result.scale.size(); ++m) {
    result.scale[m] *= second.scale[m];
    result.shift[m] = result.shift[m] * second.scale[m] + second.shift[m];
  }
  return result;
}

TensorId by_channel(Node& node, std::vector<float> values) {
  node.store().budget.charge(std::ssize(values));
  if (std::ranges::all_of(values, [&](float value) { return value == values[0]; }))
    values.resize(1);
  const Shape shape{1, 1, static_cast<int32_t>(values.size())};
  return node.constant_tensor(shape, std::move(values));
}

// A product and a sum, as far as they do anything.
Box computed(Node& node, Box box, const Affine& affine) {
  box.sole = false;
  if (scales(affine))
    box = node.emit(Binary{Binary::Kind::mul}, {box.tensor, by_channel(node, affine.scale)},
                    box.view);
  if (shifts(affine))
    box = node.emit(Binary{Binary::Kind::add}, {box.tensor, by_channel(node, affine.shift)},
                    box.view);
  return box;
}

// The input channel of weight i.
struct InputChannels {
  int64_t per_output, taps, group_inputs, group_outputs;

  size_t operator()(int64_t i) const {
    const int64_t group = i / per_output / group_outputs;
    return static_cast<size_t>(group * group_inputs + i % per_output / taps);
  }
};

InputChannels channels_of(const Convolution& op, int64_t weights, int64_t inputs) {
  const int64_t taps = int64_t{op.y.kernel} * op.x.kernel, group_inputs = inputs / op.groups;
  const int64_t per_output = taps * group_inputs;
  return {.per_output = per_output,
          .taps = taps,
          .group_inputs = group_inputs,
          .group_outputs = weights / per_output / op.groups};
}

bool all_finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

std::vector<float> scaled_weights(FloatView weights, const InputChannels& channel,
                                  const std::vector<float>& scale) {
  std::vector<float> values(static_cast<size_t>(weights.count));
  for (int64_t i = 0; i < weights.count; ++i)
    values[static_cast<size_t>(i)] = weights[i] * scale[channel(i)];
  return values;
}

// What the shift adds to each output.
std::vector<float> shifted_bias(Node& node, const Convolution& op, const InputChannels& channel,
                                const std::vector<float>& shift) {
  const FloatView weights = node.model().at(op.weights);
  std::vector<float> bias;
  double sum = 0.0;
  for (int64_t i = 0; i < weights.count; ++i) {
    sum += double{weights[i]} * double{shift[channel(i)]};
    if ((i + 1) % channel.per_output != 0) continue;
    const int64_t output = i / channel.per_output;
    const double before = op.bias ? double{node.model().at(*op.bias)[output]} : 0.0;
    bias.push_back(static_cast<float>(before + sum));
    sum = 0.0;
  }
  return bias;
}

// What stays before the convolution, and what it takes.
struct Shares {
  bool scale = false, shift = false;  // taken
  Affine left;
};

Shares shares_of(const Affine& affine, bool padded, bool may_scale) {
  Shares shares{
      .scale = may_scale && scales(affine), .shift = !padded && shifts(affine), .left = affine};
  for (size_t m = 0; m < affine.scale.size(); ++m) {
    if (shares.shift) shares.left.shift[m] = 0.0F;
    if (!shares.scale) continue;
    shares.left.shift[m] /= affine.scale[m];
    shares.left.scale[m] = 1.0F;
  }
  return shares;
}

bool is_padded(const Convolution& op) {
  return op.y.pad_begin != 0 || op.y.pad_end != 0 || op.x.pad_begin != 0 || op.x.pad_end != 0;
}

}  // namespace

std::optional<Box> shortened(Node& node, const AffineStep& step) {
  const AffineChain* before = node.chain(step.box);
  if (before == nullptr || !is_moderate(step.affine)) return std::nullopt;
  const Affine whole = composed(before->affine, step.affine);
  const int layers = layers_of(whole);
  if (layers > before->layers || !is_moderate(whole)) return std::nullopt;
  const TensorId source = before->source;
  const Box result = computed(node, {.tensor = source, .view = step.box.view}, whole);
  if (layers > 0)
    node.set_chain(result.tensor, {.source = source, .affine = whole, .layers = layers});
  return result;
}

void lengthened(Node& node, const AffineStep& step, int layers, const Box& result) {
  if (!is_moderate(step.affine)) return;
  const AffineChain* before = node.chain(step.box);
  AffineChain chain{.source = step.box.tensor, .affine = step.affine, .layers = layers};
  if (before != nullptr) {
    const Affine whole = composed(before->affine, step.affine);
    if (is_moderate(whole))
      chain = {.source = before->source, .affine = whole, .layers = before->layers + layers};
  }
  node.set_chain(result.tensor, std::move(chain));
}

Box arithmetic(Node& node, Binary::Kind kind, const Value& a, const Value& b) {
  const std::optional<AffineStep> step = affine_step(node, kind, a, b);
  if (!step) return combine(node, kind, a, b);
  if (folded(node, step->box, step->affine)) return step->box;
  if (const std::optional<Box> shorter = shortened(node, *step)) return *shorter;
  const Box result = combine(node, kind, a, b);
  lengthened(node, *step, 1, result);
  return result;
}

Box absorbed(Node& node, const Box& input, Convolution& op) {
  const AffineChain* chain = node.chain(input);
  if (chain == nullptr) return input;
  const FloatView weights = node.model().at(op.weights);
  const Shape shape = box_shape(input.view);
  const Shares shares = shares_of(chain->affine, is_padded(op), weights.count <= shape.elements());
  const bool less = layers_of(shares.left) < chain->layers;
  if (!less || !is_moderate(shares.left)) return input;
  const InputChannels channel = channels_of(op, weights.count, shape.c);
  std::vector<float> taken_weights, taken_bias;
  if (shares.scale) {
    node.store().budget.charge(weights.count);
    taken_weights = scaled_weights(weights, channel, chain->affine.scale);
  }
  if (shares.shift) {
    node.store().budget.charge(weights.count / channel.per_output);
    taken_bias = shifted_bias(node, op, channel, chain->affine.shift);
  }
  if (!all_finite(taken_weights) || !all_finite(taken_bias)) return input;
  if (shares.scale) op.weights = add_constant(node.model(), std::move(taken_weights));
  if (shares.shift) op.bias = add_constant(node.model(), std::move(taken_bias));
  return computed(node, {.tensor = chain->source, .view = input.view}, shares.left);
}

}  // namespace shingle::onnx
