#include "partition/deepthings/ftp_darknet.hpp"

#include <cassert>

namespace shingle {
namespace {

// The pixels that NNPACK's micro-kernel for Arm multiplies at a time (4 channels x 12 pixels).
constexpr int64_t pixels_at_a_time = 12;

enum Term : uint8_t { mac, gathered, pointwise, element, weight, pooled, stitched };

// Darknet computes as many output pixels as the tile has input pixels, even if fewer are needed.
void add_convolution(DarknetWork& work, const Model& model, LayerId id,
                     const Convolution& convolution, const Region& reads, const Region& wanted) {
  const bool keeps_size = convolution.y.stride == 1 && convolution.x.stride == 1;
  const Region made = keeps_size ? Region{reads.y, reads.x, wanted.c} : wanted;
  const int64_t pixels = int64_t{made.y.size()} * made.x.size();
  const int64_t multiplied = (pixels + pixels_at_a_time - 1) / pixels_at_a_time * pixels_at_a_time;
  const double weights = static_cast<double>(macs(model, id, made)) / static_cast<double>(pixels);
  const double columns = weights / made.c.size() * static_cast<double>(pixels);
  const bool several_taps = convolution.y.kernel > 1 || convolution.x.kernel > 1;
  work[mac] += weights * static_cast<double>(multiplied);
  work[several_taps ? gathered : pointwise] += columns;
  work[element] += static_cast<double>(made.elements());
  work[weight] += weights;
}

struct BlockRow {
  int32_t channels, kernel;  // 0: a pool
};
constexpr BlockRow block[] = {{32, 3},  {0, 0},   {64, 3},  {0, 0},   {128, 3}, {64, 1},
                              {128, 3}, {0, 0},   {256, 3}, {128, 1}, {256, 3}, {0, 0},
                              {512, 3}, {256, 1}, {512, 3}, {256, 1}};

Operator operator_of(Model& model, const BlockRow& layer, int32_t input_channels) {
  if (layer.channels == 0) {
    constexpr Window halve{.kernel = 2, .stride = 2};
    return Pooling{.kind = Pooling::Kind::max, .y = halve, .x = halve};
  }
  const int32_t pad = layer.kernel / 2;
  const Window window{layer.kernel, 1, 1, pad, pad};
  const ConstantId weights{static_cast<uint32_t>(model.constants.size())};
  const int64_t count = int64_t{input_channels} * layer.kernel * layer.kernel * layer.channels;
  model.constants.push_back({.data = nullptr, .count = count});
  return Convolution{
      .y = window, .x = window, .groups = 1, .weights = weights, .bias = std::nullopt};
}

}  // namespace

std::array<double, darknet_terms> values_of(const DarknetCost& cost) {
  return {cost.ns_per_mac,    cost.ns_per_gathered, cost.ns_per_pointwise, cost.ns_per_element,
          cost.ns_per_weight, cost.ns_per_pooled,   cost.ns_per_stitched};
}

DarknetCost darknet_cost(const std::array<double, darknet_terms>& values) {
  return {.ns_per_mac = values[mac],
          .ns_per_gathered = values[gathered],
          .ns_per_pointwise = values[pointwise],
          .ns_per_element = values[element],
          .ns_per_weight = values[weight],
          .ns_per_pooled = values[pooled],
          .ns_per_stitched = values[stitched]};
}

DarknetWork darknet_work(const Model& model, const std::vector<LayerId>& layers,
                         const FtpWay& way) {
  DarknetWork work{};
  for (size_t i = 0; i < layers.size(); ++i) {
    if (way.computed[i].empty()) continue;
    const Region reads = ftp_reads(model, layers[i], way.computed[i]);
    if (way.stitches && i > 0) work[stitched] += static_cast<double>(reads.elements());
    const auto* convolution = std::get_if<Convolution>(&model.at(layers[i]).op);
    if (convolution != nullptr)
      add_convolution(work, model, layers[i], *convolution, reads, way.computed[i]);
    else if (std::holds_alternative<Pooling>(model.at(layers[i]).op))
      work[pooled] += static_cast<double>(reads.elements());
  }
  return work;
}

Duration darknet_time(const DarknetCost& cost, const DarknetWork& work) {
  const std::array<double, darknet_terms> each = values_of(cost);
  double total_ns = 0.0;
  for (size_t term = 0; term < darknet_terms; ++term) total_ns += each[term] * work[term];
  return Duration(static_cast<int64_t>(total_ns));
}

Duration darknet_time(const DarknetCost& cost, const Model& model,
                      const std::vector<LayerId>& layers, const FtpWay& way) {
  return darknet_time(cost, darknet_work(model, layers, way));
}

Model yolov2_block() {
  Model model;
  TensorId last = add_input(model, "image", {608, 608, 3});
  for (const BlockRow& layer : block) {
    Operator op = operator_of(model, layer, model.at(last).shape.c);
    last =
        add_layer(model, "layer_" + std::to_string(model.layers.size()), std::move(op), {last}, {});
  }
  add_output(model, "output", last);
  return model;
}

}  // namespace shingle
