#include "devices/layer_check.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

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

using Maps = std::vector<std::vector<float>>;  // by step

// The whole network as one program that puts out every layer's map.
TileProgram showing_all(const Model& model, WinogradUse use) {
  const FusedBlock block = whole_block(model, use);
  std::vector<Slice> outputs;
  for (LayerId id : block.layers) {
    const TensorId output = model.at(id).output;
    outputs.push_back({output, whole(model.at(output).shape)});
  }
  return tile_program(model, block, outputs);
}

Result<Maps> compute(const Model& model, const TileProgram& program,
                     std::span<const std::byte> input, Executor& executor) {
  const Status prepared = executor.prepare(model, std::span(&program, 1));
  if (!prepared) return Error{prepared.error()};
  std::vector<ConstTensorView> inputs;
  for (const Slice& slice : program.inputs) {
    const Tensor& tensor = model.at(slice.tensor);
    inputs.push_back({input.data(), whole(tensor.shape), tensor.type});
  }
  Maps maps;
  std::vector<TensorView> views;
  for (const Slice& slice : program.outputs) {
    std::vector<float>& map = maps.emplace_back(static_cast<size_t>(slice.region.elements()));
    views.push_back({reinterpret_cast<std::byte*>(map.data()), slice.region, ElementType::f32});
  }
  const Status computed = executor.compute(program, inputs, views);
  if (!computed) return Error{computed.error()};
  return maps;
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

Result<std::vector<LayerDifference>> check_layers(const Model& model,
                                                  std::span<const std::byte> input,
                                                  const CheckedSide& value,
                                                  const CheckedSide& expected) {
  assert(model.inputs.size() == 1);
  const TileProgram program = showing_all(model, value.winograd);
  const Result<Maps> ours = compute(model, program, input, value.executor);
  if (!ours) return Error{ours.error()};
  const TileProgram other = showing_all(model, expected.winograd);
  const Result<Maps> theirs = compute(model, other, input, expected.executor);
  if (!theirs) return Error{theirs.error()};
  std::vector<LayerDifference> differences;
  for (const Step& step : program.steps) {
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      if (program.outputs[i].tensor != model.at(step.layer).output) continue;
      differences.push_back({step.layer, difference((*ours)[i], (*theirs)[i])});
    }
  }
  return differences;
}

}  // namespace shingle
