#include "devices/measure/layer_check.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "devices/executor/view.hpp"

namespace shingle {

namespace {

// Floats in their order as integers: neighbours are one apart, and both zeros the same.
int64_t place(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits >= 0 ? bits : int64_t{std::numeric_limits<int32_t>::min()} - bits;
}

size_t bucket(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : 5;
  const int64_t apart = std::abs(place(a) - place(b));
  return apart == 0 ? 0 : apart == 1 ? 1 : apart < 4 ? 2 : apart < 16 ? 3 : apart < 256 ? 4 : 5;
}

// The whole network as one program that puts out every layer's map.
TileProgram showing_all(const Model& model, const CheckedSide& side) {
  FusedBlock block = whole_block(model, side.winograd);
  if (side.plan != nullptr) block.layers = block_layers(model, *side.plan);
  std::vector<Slice> outputs;
  for (const BlockLayer& layer : block.layers) {
    const TensorId output = model.at(layer.id).output;
    outputs.push_back({output, whole(model.at(output).shape)});
  }
  return tile_program(model, block, outputs);
}

ConstTensorView view_of(const LayerMap& map) {
  return {reinterpret_cast<const std::byte*>(map.values.data()), map.region, ElementType::f32};
}

std::vector<float> part_of(const LayerMap& map, const Region& region) {
  std::vector<float> part(static_cast<size_t>(region.elements()));
  copy(view_of(map), {reinterpret_cast<std::byte*>(part.data()), region, ElementType::f32}, region);
  return part;
}

}  // namespace

Difference difference(std::span<const float> value, std::span<const float> expected) {
  assert(value.size() == expected.size());
  Difference result{.values = std::ssize(value)};
  double squares = 0.0, expected_squares = 0.0;
  for (size_t i = 0; i < value.size(); ++i) {
    const size_t apart = bucket(value[i], expected[i]);
    ++result.ulps[apart];
    if (apart == 0 && !std::isfinite(expected[i])) continue;
    const double gap = std::abs(double{value[i]} - double{expected[i]});
    const double known = std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
    result.largest = std::max(result.largest, known);
    squares += known * known;
    expected_squares += double{expected[i]} * double{expected[i]};
  }
  result.rms = squares == 0.0 ? 0.0 : std::sqrt(squares / expected_squares);
  if (std::isnan(result.rms)) result.rms = std::numeric_limits<double>::infinity();
  return result;
}

Result<std::vector<LayerMap>> layer_maps(const Model& model, const WholeInputs& inputs,
                                         const CheckedSide& side) {
  const TileProgram program = showing_all(model, side);
  const Status prepared = side.executor.prepare(model, std::span(&program, 1));
  if (!prepared) return prepared.failure();
  std::vector<ConstTensorView> read;
  for (const Slice& slice : program.inputs)
    read.push_back(whole_input(model, inputs, slice.tensor));
  std::vector<LayerMap> maps(model.layers.size());
  std::vector<TensorView> views;
  for (const Slice& slice : program.outputs) {
    for (size_t layer = 0; layer < maps.size(); ++layer) {
      if (model.layers[layer].output != slice.tensor) continue;
      maps[layer] = {slice.region,
                     std::vector<float>(static_cast<size_t>(slice.region.elements()))};
      views.push_back({reinterpret_cast<std::byte*>(maps[layer].values.data()), slice.region,
                       ElementType::f32});
    }
  }
  const Status computed = side.executor.compute(program, read, views);
  if (!computed) return computed.failure();
  return maps;
}

std::vector<LayerDifference> differences(const Model& model, const std::vector<LayerMap>& value,
                                         const std::vector<LayerMap>& expected) {
  std::vector<LayerDifference> found;
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer) {
    const LayerMap& map = value[layer];
    if (map.values.empty()) continue;
    found.push_back({LayerId{layer}, difference(map.values, part_of(expected[layer], map.region))});
  }
  return found;
}

Result<std::vector<LayerDifference>> check_layers(const Model& model, const WholeInputs& inputs,
                                                  const CheckedSide& value,
                                                  const CheckedSide& expected) {
  const auto ours = layer_maps(model, inputs, value);
  if (!ours) return ours.failure();
  const auto theirs = layer_maps(model, inputs, expected);
  if (!theirs) return theirs.failure();
  return differences(model, *ours, *theirs);
}

}  // namespace shingle
