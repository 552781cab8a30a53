// Which layers XNNPACK takes, and how each becomes an operator.
#include <limits>
#include <numeric>
#include <vector>

#include "devices/xnnpack/xnn_layer.hpp"

namespace shingle {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// The widest kernel of any instruction set makes 16 outputs at a time; with fewer channels some
// take a narrower kernel, which may round otherwise.
constexpr int32_t kernel_channels = 16;

// Calls with a single pixel take another kernel, on some machines those with two or three.
constexpr int32_t convolution_pixels = 4;

// An average over exactly one window is taken by another kernel, whose sum rounds otherwise.
constexpr int32_t average_pixels = 2;

// Beyond this the table of pointers that XNNPACK keeps for a pooling outgrows what it saves.
constexpr int64_t most_pooling_taps = 64;

int64_t taps(const Window& y, const Window& x) { return int64_t{y.kernel} * x.kernel; }

struct OnXnnpack {
  const Model& model;
  const Layer& layer;

  bool operator()(const Convolution&) const { return true; }
  // One tap is a strided copy, which XNNPACK refuses; from 2023 on it refuses steps over pixels
  // too.
  bool operator()(const Pooling& op) const {
    if (taps(op.y, op.x) < 2 || taps(op.y, op.x) > most_pooling_taps) return false;
    if (op.y.stride > op.y.kernel || op.x.stride > op.x.kernel) return false;
    return op.kind == Pooling::Kind::max || (op.kind == Pooling::Kind::average && always_whole(op));
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }

  // Does every window of the layer lie on the map, so that all divide by the same count?
  bool always_whole(const Pooling& op) const {
    const Shape in = model.at(layer.inputs[0]).shape, out = model.at(layer.output).shape;
    const auto inside = [](const Window& window, int32_t output, int32_t input) {
      return window.pad_begin == 0 && window.dilation == 1 &&
             int64_t{output - 1} * window.stride + window.kernel <= input;
    };
    return inside(op.y, out.h, in.h) && inside(op.x, out.w, in.w);
  }
};

struct Channels {
  int32_t inputs = 1, outputs = 1;  // per group
};

Channels group_channels(const Model& model, const Layer& layer, const Convolution& op) {
  return {model.at(layer.inputs[0]).shape.c / op.groups,
          model.at(layer.output).shape.c / op.groups};
}

struct Computed {
  const Model& model;
  const Layer& layer;
  Span wanted;

  Span operator()(const Convolution& op) const {
    const int32_t all = model.at(layer.output).shape.c;
    if (op.groups > 1) {
      const int32_t group = group_channels(model, layer, op).outputs;
      return {wanted.begin / group * group, (wanted.end + group - 1) / group * group};
    }
    Span span{wanted.begin / kernel_channels * kernel_channels,
              (wanted.end + kernel_channels - 1) / kernel_channels * kernel_channels};
    span.end = std::min(span.end, all);
    if (span.size() < kernel_channels) span.begin = std::max(0, span.begin - kernel_channels);
    return span;
  }
  template <class Other>
  Span operator()(const Other&) const {
    return wanted;
  }
};

// The part of an activation that the convolution's own clamp does; the rest is left in
// `activation`.
ValueRange taken_range(Activation& activation) {
  ValueRange range;
  if (activation.kind == Activation::Kind::relu) {
    range.minimum = 0.0F;
  } else if (activation.kind == Activation::Kind::clip && activation.alpha < activation.beta) {
    range = {activation.alpha, activation.beta};
  } else {
    return range;
  }
  activation = {};
  return range;
}

std::vector<float> bias_of(const Model& model, const Convolution& op, Span channels) {
  std::vector<float> values(static_cast<size_t>(channels.size()), 0.0F);
  for (int32_t c = 0; op.bias && c < channels.size(); ++c) {
    values[static_cast<size_t>(c)] = model.at(*op.bias)[channels.begin + c] + 0.0F;  // as pack()
  }
  return values;
}

// From [output][input of the group][tap] to [output][tap][input of the group].
std::vector<float> weights_of(const Model& model, const Convolution& op, int32_t inputs,
                              Span channels) {
  const FloatView weights = model.at(op.weights);
  const int64_t all_taps = taps(op.y, op.x);
  std::vector<float> values;
  values.reserve(static_cast<size_t>(channels.size() * all_taps * inputs));
  for (int32_t c = channels.begin; c < channels.end; ++c) {
    for (int64_t tap = 0; tap < all_taps; ++tap) {
      for (int32_t i = 0; i < inputs; ++i) {
        values.push_back(weights[(int64_t{c} * inputs + i) * all_taps + tap]);
      }
    }
  }
  return values;
}

// What make() fills in beside the operator.
struct Parts {
  Window y, x;
  Span inputs;
  float neutral = 0.0F;
  int32_t least_pixels = 1;
  int64_t operations = 1;
  Activation activation;
};

struct Maker {
  const Model& model;
  const Layer& layer;
  Span channels;
  Parts& parts;

  Result<XnnOperator> operator()(const Convolution& op) const {
    const Channels group = group_channels(model, layer, op);
    const int32_t first = channels.begin / group.outputs;
    const int32_t groups = op.groups == 1 ? 1 : channels.size() / group.outputs;
    parts.y = op.y;
    parts.x = op.x;
    parts.inputs = {first * group.inputs, (first + groups) * group.inputs};
    if (op.groups == 1) parts.inputs = {0, group.inputs};
    parts.least_pixels = convolution_pixels;
    parts.operations = taps(op.y, op.x) * group.inputs;
    const ValueRange range = taken_range(parts.activation);
    return XnnOperator::convolution(
        {.y = op.y,
         .x = op.x,
         .groups = groups,
         .group_inputs = group.inputs,
         .group_outputs = op.groups == 1 ? channels.size() : group.outputs,
         .range = range},
        weights_of(model, op, group.inputs, channels).data(), bias_of(model, op, channels).data());
  }
  Result<XnnOperator> operator()(const Pooling& op) const {
    parts.y = op.y;
    parts.x = op.x;
    parts.inputs = channels;
    parts.operations = taps(op.y, op.x);
    parts.neutral = op.kind == Pooling::Kind::max ? -infinity : 0.0F;
    parts.least_pixels = op.kind == Pooling::Kind::max ? 1 : average_pixels;
    return XnnOperator::pooling(op, channels.size());
  }
  template <class Other>
  Result<XnnOperator> operator()(const Other&) const {
    return Error{"XNNPACK has no such operator"};
  }
};

}  // namespace

bool runs_on_xnnpack(const Model& model, const Layer& layer) {
  return std::visit(OnXnnpack{model, layer}, layer.op);
}

Span computed_channels(const Model& model, const Layer& layer, Span channels) {
  return std::visit(Computed{model, layer, channels}, layer.op);
}

Result<XnnLayer> XnnLayer::make(const Model& model, LayerId id, Span channels) {
  const Layer& layer = model.at(id);
  Parts parts;
  parts.activation = layer.activation;
  Result<XnnOperator> made = std::visit(Maker{model, layer, channels, parts}, layer.op);
  if (!made) return Error{"layer '" + layer.name + "' cannot run: " + made.error()};
  XnnLayer result(std::move(made).value());
  result.y_ = parts.y;
  result.x_ = parts.x;
  result.inputs_ = parts.inputs;
  result.outputs_ = channels;
  result.neutral_ = parts.neutral;
  result.least_pixels_ = parts.least_pixels;
  result.operations_ = parts.operations;
  result.activation_ = parts.activation;
  return result;
}

}  // namespace shingle
