#include "partition/readers/onnx/affine.hpp"

#include <algorithm>
#include <cmath>

#include "partition/readers/onnx/operators/broadcast.hpp"

namespace shingle::onnx {

namespace {

// A bias is where a sum begins, and each addition to it rounds at its size. Constants as large as
// masks and tricks of rounding have them (-1e9, 1.5 * 2^23) stay behind the layer.
constexpr float large_shift = 65536.0F;
constexpr float large_beside_weights = 1024.0F;  // times the sum of the channel's weights

// No weight and no bias may become infinite: an infinite weight makes NaN of a zero.
template <class Channel>
bool can_fold(FloatView weights, const FloatView* bias, const Affine& affine, Channel channel) {
  std::vector<float> sums(affine.scale.size(), 0.0F);
  for (int64_t i = 0; i < weights.count; ++i) {
    const size_t m = channel(i);
    if (!std::isfinite(weights[i] * affine.scale[m])) return false;
    sums[m] += std::fabs(weights[i] * affine.scale[m]);
  }
  for (size_t m = 0; m < sums.size(); ++m) {
    const float shift = std::fabs(affine.shift[m]);
    if (shift > large_shift && shift > large_beside_weights * sums[m]) return false;
    const float old = bias == nullptr ? 0.0F : (*bias)[static_cast<int64_t>(m)];
    if (!std::isfinite(affine.shift[m] + old * affine.scale[m])) return false;
  }
  return true;
}

// `channel(i)` is the output channel of weight i. Weights that stay as they are stay in the file.
// False: the layer stays as it is.
template <class Weighted, class Channel>
bool fold(Node& node, Weighted& op, const Affine& affine, Channel channel) {
  std::optional<FloatView> known_bias;
  if (op.bias) known_bias = node.model().at(*op.bias);
  if (!can_fold(node.model().at(op.weights), known_bias ? &*known_bias : nullptr, affine, channel))
    return false;
  if (scales(affine)) {
    const FloatView old_weights = node.model().at(op.weights);
    node.store().budget.charge(old_weights.count);
    std::vector<float> weights(static_cast<size_t>(old_weights.count));
    for (int64_t i = 0; i < old_weights.count; ++i)
      weights[static_cast<size_t>(i)] = old_weights[i] * affine.scale[channel(i)];
    op.weights = add_constant(node.model(), std::move(weights));
  }
  std::vector<float> bias = affine.shift;
  if (op.bias) {
    const FloatView old_bias = node.model().at(*op.bias);
    for (size_t m = 0; m < bias.size(); ++m)
      bias[m] += old_bias[static_cast<int64_t>(m)] * affine.scale[m];
  }
  op.bias = add_constant(node.model(), std::move(bias));
  return true;
}

bool is_weighted(const Layer* layer) {
  return layer != nullptr && (std::holds_alternative<Convolution>(layer->op) ||
                              std::holds_alternative<TransposedConvolution>(layer->op));
}

// One value for each channel of the tensor. None: the constant varies along other axes, or makes
// the box larger.
std::optional<std::vector<float>> by_channel(Node& node, const Box& box, const Constant& constant) {
  const Dims dims = sizes(box.view);
  const int64_t channels = box_shape(box.view).c;
  if (constant.integer || constant.dims.size() > dims.size() || constant.count() > channels)
    return std::nullopt;
  const size_t lead = dims.size() - constant.dims.size();
  for (size_t dim = lead; dim < dims.size(); ++dim)
    if (constant.dims[dim - lead] != 1 && constant.dims[dim - lead] != dims[dim])
      return std::nullopt;
  const Tensor& tensor = node.model().at(spread(node, box.view, constant));
  if (tensor.shape.h != 1 || tensor.shape.w != 1) return std::nullopt;
  const FloatView spread_out = node.model().at(*tensor.constant);
  std::vector<float> values;
  for (int64_t m = 0; m < channels; ++m) values.push_back(spread_out[tensor.shape.c == 1 ? 0 : m]);
  return values;
}

Affine affine_of(Binary::Kind kind, bool constant_first, const std::vector<float>& values) {
  Affine affine;
  for (const float value : values) {
    const bool sum = kind == Binary::Kind::add || kind == Binary::Kind::sub;
    const bool turned = kind == Binary::Kind::sub && constant_first;  // constant - x
    affine.scale.push_back(kind == Binary::Kind::mul   ? value
                           : kind == Binary::Kind::div ? 1.0F / value
                           : turned                    ? -1.0F
                                                       : 1.0F);
    affine.shift.push_back(!sum                                           ? 0.0F
                           : kind == Binary::Kind::sub && !constant_first ? -value
                                                                          : value);
  }
  return affine;
}

}  // namespace

bool scales(const Affine& affine) {
  return std::ranges::any_of(affine.scale, [](float scale) { return scale != 1.0F; });
}

bool folded(Node& node, const Box& box, const Affine& affine) {
  Layer* layer = node.changeable_layer(box);
  if (!is_weighted(layer)) return false;
  node.store().budget.charge(std::ssize(affine.shift));
  const auto channels = static_cast<int64_t>(affine.scale.size());
  if (auto* op = std::get_if<Convolution>(&layer->op)) {
    const int64_t per_channel = node.model().at(op->weights).count / channels;
    return fold(node, *op, affine, [=](int64_t i) { return static_cast<size_t>(i / per_channel); });
  }
  auto& op = std::get<TransposedConvolution>(layer->op);
  const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;
  const int64_t group_outputs = channels / op.groups;
  const int64_t group_inputs = node.model().at(layer->inputs[0]).shape.c / op.groups;
  return fold(node, op, affine, [=](int64_t i) {
    const int64_t group = i / taps / group_outputs / group_inputs;
    return static_cast<size_t>(group * group_outputs + i / taps % group_outputs);
  });
}

bool is_finite(const Affine& affine) {
  const auto finite = [](float value) { return std::isfinite(value); };
  return std::all_of(affine.scale.begin(), affine.scale.end(), finite) &&
         std::all_of(affine.shift.begin(), affine.shift.end(), finite);
}

std::optional<AffineStep> affine_step(Node& node, Binary::Kind kind, const Value& a,
                                      const Value& b) {
  const bool constant_first = std::holds_alternative<Constant>(a);
  const Box* box = std::get_if<Box>(constant_first ? &b : &a);
  const Constant* constant = std::get_if<Constant>(constant_first ? &a : &b);
  const bool is_affine = kind == Binary::Kind::add || kind == Binary::Kind::sub ||
                         kind == Binary::Kind::mul ||
                         (kind == Binary::Kind::div && !constant_first);
  if (box == nullptr || constant == nullptr || !is_affine) return std::nullopt;
  const auto values = by_channel(node, *box, *constant);
  if (!values) return std::nullopt;
  node.store().budget.charge(2 * std::ssize(*values));  // a chain may keep it
  const Affine affine = affine_of(kind, constant_first, *values);
  if (!is_finite(affine)) return std::nullopt;
  return AffineStep{.box = *box, .affine = affine};
}

}  // namespace shingle::onnx
