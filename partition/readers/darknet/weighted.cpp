// [convolutional] and [connected]: the sections that own weights.
//
// Order of the values in the file (Darknet's parser.c). Convolution: biases; with batch_normalize
// scales, rolling means and rolling variances; weights [filter][channel / groups][y][x]. Connected
// layer: biases; weights [output][input]; what batch_normalize adds.
#include <algorithm>
#include <cmath>

#include "partition/model/shape.hpp"
#include "partition/readers/darknet/layer.hpp"

namespace shingle::darknet {

namespace {

constexpr int32_t most_filters = 1 << 20;
constexpr int32_t largest_kernel = 1 << 10;
constexpr double epsilon = 0.000001;  // blas.c: (x - mean) / (sqrt(variance) + .000001f)

struct Normalisation {
  FloatView scales, means, variances;  // by output channel

  static Normalisation take(Weights& weights, int64_t channels) {
    return {weights.take(channels), weights.take(channels), weights.take(channels)};
  }
};

ConstantId view_constant(Model& model, FloatView view) {
  model.constants.push_back(view);
  return ConstantId{static_cast<uint32_t>(model.constants.size() - 1)};
}

struct Folded {
  ConstantId weights, bias;
};

// The weights and biases of a convolution that includes the normalisation. Weights that are not
// there stay absent.
Folded fold(Network& network, FloatView weights, FloatView biases, const Normalisation& norm) {
  Model& model = network.model;
  const bool there =
      network.part == nullptr || !network.part->there || network.part->there(weights);
  const int64_t per_channel = there ? weights.count / biases.count : 0;
  std::vector<float> scaled(static_cast<size_t>(there ? weights.count : 0));
  std::vector<float> shifted(static_cast<size_t>(biases.count));
  for (int64_t m = 0; m < biases.count; ++m) {
    const double factor = norm.scales[m] / (std::sqrt(double{norm.variances[m]}) + epsilon);
    shifted[static_cast<size_t>(m)] = static_cast<float>(biases[m] - norm.means[m] * factor);
    for (int64_t i = m * per_channel; i < (m + 1) * per_channel; ++i) {
      scaled[static_cast<size_t>(i)] = static_cast<float>(weights[i] * factor);
    }
  }
  const ConstantId w =
      there ? add_constant(model, std::move(scaled)) : view_constant(model, weights);
  if (there) network.foldings.push_back({.folded = model.at(w).data, .from = weights});
  return {.weights = w, .bias = add_constant(model, std::move(shifted))};
}

Folded constants_of(Network& network, FloatView weights, FloatView biases,
                    const std::optional<Normalisation>& norm) {
  // From here on, a file that is too short is only counted; there is nothing to fold.
  if (norm && network.weights.complete()) return fold(network, weights, biases, *norm);
  return {.weights = view_constant(network.model, weights),
          .bias = view_constant(network.model, biases)};
}

// Number of weights of a layer; refuses more than a tensor may hold.
int64_t weights_of(Section& section, int64_t outputs, int64_t group_inputs, int64_t taps) {
  const double count =
      static_cast<double>(outputs) * static_cast<double>(group_inputs) * static_cast<double>(taps);
  if (count > static_cast<double>(max_elements)) section.refuse("it has too many weights");
  return section.sound() ? outputs * group_inputs * taps : 0;
}

struct Windows {
  Window y, x;
};

Windows windows_of(Section& section) {
  const int32_t size = section.integer("size", 1, {1, largest_kernel});
  const int32_t given = section.integer("padding", 0, {0, largest_kernel});
  const int32_t pad = section.flag("pad") ? size / 2 : given;
  const int32_t stride = section.integer("stride", 1, {1, max_window});
  const auto along = [&](const char* key) {
    return Window{.kernel = size,
                  .stride = section.integer(key, stride, {1, max_window}),
                  .dilation = 1,
                  .pad_begin = pad,
                  .pad_end = pad};
  };
  return {.y = along("stride_y"), .x = along("stride_x")};
}

}  // namespace

std::optional<TensorId> convolutional(LayerBuilder& layer) {
  Section& section = layer.section();
  Network& network = layer.network();
  for (const char* key : {"binary", "xnor", "bin_output", "flipped", "antialiasing", "deform",
                          "sway", "rotate", "stretch", "stretch_sway"}) {
    section.insist(key, 0.0F);
  }
  section.insist("dilation", 1.0F);
  if (section.has("share_index")) section.refuse("shingle does not read shared weights");
  const TensorId input = layer.input();
  const int32_t filters = section.integer("filters", 1, {1, most_filters});
  const int32_t groups = section.integer("groups", 1, {1, most_filters});
  const int32_t channels = layer.shape(input).c;
  if (channels % groups != 0 || filters % groups != 0) {
    section.refuse("its " + std::to_string(channels) + " channels and " + std::to_string(filters) +
                   " filters do not divide into " + std::to_string(groups) + " groups");
  }
  const bool normalised = section.flag("batch_normalize");
  const Windows windows = windows_of(section);
  const Activation activation = layer.activation("logistic");
  const int64_t count =
      weights_of(section, filters, channels / groups, int64_t{windows.y.kernel} * windows.x.kernel);
  if (!section.sound()) return input;

  const FloatView biases = network.weights.take(filters);
  std::optional<Normalisation> norm;
  if (normalised) norm = Normalisation::take(network.weights, filters);
  const Folded constants = constants_of(network, network.weights.take(count), biases, norm);
  return layer.emit(Convolution{.y = windows.y,
                                .x = windows.x,
                                .groups = groups,
                                .weights = constants.weights,
                                .bias = constants.bias},
                    {input}, activation);
}

// A convolution as large as its map. Darknet's inputs are in the order of its weights.
std::optional<TensorId> connected(LayerBuilder& layer) {
  Section& section = layer.section();
  Network& network = layer.network();
  const TensorId input = layer.input();
  const Shape shape = layer.shape(input);
  const int32_t outputs = section.integer("output", 1, {1, most_filters});
  const bool normalised = section.flag("batch_normalize");
  const Activation activation = layer.activation("logistic");
  const int64_t count = weights_of(section, outputs, shape.elements(), 1);
  if (!section.sound()) return input;

  const FloatView biases = network.weights.take(outputs);
  const FloatView weights = network.weights.take(count);
  std::optional<Normalisation> norm;
  if (normalised) norm = Normalisation::take(network.weights, outputs);
  const Folded constants = constants_of(network, weights, biases, norm);
  return layer.emit(Convolution{.y = {.kernel = shape.h},
                                .x = {.kernel = shape.w},
                                .groups = 1,
                                .weights = constants.weights,
                                .bias = constants.bias},
                    {input}, activation);
}

}  // namespace shingle::darknet
