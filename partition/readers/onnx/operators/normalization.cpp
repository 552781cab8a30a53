// Normalisations by the map's own values: to mean 0 and deviation 1 over some dims, and by the
// power of neighbouring channels.
#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/patterns/chains.hpp"

namespace shingle::onnx {

namespace {

using Kind = Binary::Kind;

// One value for each of `channels`, shaped to fit a value of `rank` dims.
Constant by_channel(Node& node, size_t input, int64_t channels, size_t rank) {
  Constant values = node.floats(input);
  if (values.count() != channels) {
    node.refuse("its input " + std::to_string(input) + " does not hold one value for each of " +
                std::to_string(channels) + " channels");
  }
  values.dims.assign(rank - 1, 1);
  values.dims[0] = channels;
  return values;
}

// [channels][channels]: `weight` where the second channel is one of `size` around the first.
std::vector<float> band(int64_t channels, int64_t size, float weight) {
  std::vector<float> values(static_cast<size_t>(channels * channels), 0.0F);
  for (int64_t c = 0; c < channels; ++c) {
    const int64_t first = std::max<int64_t>(c - (size - 1) / 2, 0);
    const int64_t last = std::min(c + size / 2, channels - 1);
    for (int64_t i = first; i <= last; ++i) values[static_cast<size_t>(c * channels + i)] = weight;
  }
  return values;
}

// A value minus its mean over the marked dims, and the mean of the squares of the difference.
struct Centred {
  Box values, variance, mean;
};

Centred centred(Node& node, const Box& box, const std::vector<bool>& marked) {
  const Box mean = reduced(node, Reduction::Kind::mean, box, marked);
  const Box values = combine(node, Kind::sub, box, mean);
  return {values, reduced(node, Reduction::Kind::mean, squared(node, values), marked), mean};
}

Box deviation(Node& node, const Centred& parts, float epsilon) {
  return node.activate(combine(node, Kind::add, parts.variance, epsilon),
                       {.kind = Activation::Kind::sqrt});
}

}  // namespace

void instance_normalization(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  if (dims.size() < 3) node.refuse("its input is " + text_of(dims));
  const Constant scale = by_channel(node, 1, dims[1], dims.size());
  const Constant shift = by_channel(node, 2, dims[1], dims.size());
  std::vector<bool> spatial(dims.size(), true);
  spatial[0] = spatial[1] = false;
  const Centred parts = centred(node, box, spatial);
  const Box factor =
      combine(node, Kind::div, scale, deviation(node, parts, node.number("epsilon", 1e-5F)));
  node.set(combine(node, Kind::add, combine(node, Kind::mul, parts.values, factor), shift));
}

void layer_normalization(Node& node) {
  const Box box = node.box(0);
  const size_t rank = box.view.dims.size();
  std::vector<bool> last(rank, false);
  for (size_t dim = node.axis(node.integer("axis", -1), rank); dim < rank; ++dim) last[dim] = true;
  const Centred parts = centred(node, box, last);
  Box spread = deviation(node, parts, node.number("epsilon", 1e-5F));
  spread.sole = spread.sole && node.outputs() < 3;
  if (node.outputs() > 1) {
    Box mean = parts.mean;
    mean.sole = false;
    node.set(1, mean);
  }
  if (node.outputs() > 2) {
    node.set(2, node.activate(spread, {.kind = Activation::Kind::reciprocal}));
  }
  const Box normal = combine(node, Kind::div, parts.values, spread);
  const Box scaled = arithmetic(node, Kind::mul, normal, node.floats(1));
  node.set(node.has(2) ? arithmetic(node, Kind::add, scaled, node.floats(2)) : scaled);
}

void mean_variance_normalization(Node& node) {
  const Box box = node.box(0);
  const size_t rank = box.view.dims.size();
  std::vector<bool> marked(rank, false);
  for (const int64_t axis : node.integers("axes", {0, 2, 3})) marked[node.axis(axis, rank)] = true;
  const Centred parts = centred(node, box, marked);
  // ONNX's definition adds epsilon to the deviation here; the other normalisations add it to the
  // variance.
  const Box spread = combine(node, Kind::add, deviation(node, parts, 0.0F), 1e-9F);
  node.set(combine(node, Kind::div, parts.values, spread));
}

// x / sqrt(mean(x^2) + epsilon) * scale
void rms_normalization(Node& node) {
  const Box box = node.box(0);
  const size_t rank = box.view.dims.size();
  std::vector<bool> last(rank, false);
  for (size_t dim = node.axis(node.integer("axis", -1), rank); dim < rank; ++dim) last[dim] = true;
  const Box power = reduced(node, Reduction::Kind::mean, squared(node, box), last);
  const Box root = node.activate(combine(node, Kind::add, power, node.number("epsilon", 1e-5F)),
                                 {.kind = Activation::Kind::sqrt});
  node.set(arithmetic(node, Kind::mul, combine(node, Kind::div, box, root), node.value(1)));
}

// x / (bias + alpha/size * sum of the neighbours' squares)^beta: the sum is a 1x1 convolution.
void local_response_normalization(Node& node) {
  const Box box = node.as_image(0);
  const Dims dims = sizes(box.view);
  const int64_t channels = dims[1], size = node.integer("size", 0);
  if (size < 1 || size > (1 << 20)) node.refuse("its size is " + std::to_string(size));
  node.store().budget.charge(channels * channels);
  const float weight = node.number("alpha", 1e-4F) / static_cast<float>(size);
  const std::vector<float> bias(static_cast<size_t>(channels), node.number("bias", 1.0F));
  const Convolution sum{.y = {},
                        .x = {},
                        .groups = 1,
                        .weights = add_constant(node.model(), band(channels, size, weight)),
                        .bias = add_constant(node.model(), bias)};
  const Box squares = squared(node, box);
  const Box power = combine(node, Kind::pow, node.emit(sum, {squares.tensor}, squares.view),
                            node.number("beta", 0.75F));
  node.set(combine(node, Kind::div, box, power));
}

}  // namespace shingle::onnx
