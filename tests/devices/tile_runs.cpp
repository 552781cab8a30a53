#include "tests/devices/tile_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "devices/executor/view.hpp"

namespace shingle::tests {

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Map filled(const Region& region, float value) {
  return {region, std::vector<float>(static_cast<size_t>(region.elements()), value)};
}

Span widened(Span span, int32_t by) { return {span.begin - by, span.end + by}; }

}  // namespace

ConstTensorView Map::view() const {
  return {reinterpret_cast<const std::byte*>(values.data()), region, ElementType::f32};
}
TensorView Map::view() {
  return {reinterpret_cast<std::byte*>(values.data()), region, ElementType::f32};
}
float Map::at(int32_t y, int32_t x, int32_t c) const {
  return values[static_cast<size_t>(offset_in(region, y, x, c))];
}

Map random_map(Shape shape, uint64_t seed) {
  return {whole(shape), networks::random_input(shape, seed)};
}

Map cut(const Map& map, const Region& region) {
  Map result = filled(region, nan);
  copy(map.view(), result.view(), region);
  return result;
}

Region random_region(networks::Random& random, Shape shape) {
  const auto span = [&](int32_t size) {
    const int32_t a = random.between(0, size - 1), b = random.between(0, size - 1);
    return Span{std::min(a, b), std::max(a, b) + 1};
  };
  return {span(shape.h), span(shape.w), random.chance(0.5) ? Span{0, shape.c} : span(shape.c)};
}

std::vector<Map> random_inputs(const Model& model, uint64_t seed) {
  std::vector<Map> inputs;
  for (TensorId input : model.inputs) inputs.push_back(random_map(model.at(input).shape, seed++));
  return inputs;
}

std::vector<Map> run(Executor& executor, const Model& model, const TileProgram& program,
                     const std::vector<Map>& inputs) {
  std::vector<Map> windows, outputs;
  int32_t margin = 0;
  for (const Slice& slice : program.inputs) {
    const auto index = static_cast<size_t>(
        std::find(model.inputs.begin(), model.inputs.end(), slice.tensor) - model.inputs.begin());
    const Region& region = slice.region;
    windows.push_back(filled(
        {widened(region.y, margin), widened(region.x, margin), widened(region.c, margin)}, nan));
    copy(inputs[index].view(), windows.back().view(), region);
    margin = (margin + 1) % 3;
  }
  for (const Slice& slice : program.outputs) {
    outputs.push_back(filled(
        {widened(slice.region.y, margin), slice.region.x, widened(slice.region.c, margin)}, nan));
    margin = (margin + 1) % 3;
  }
  std::vector<ConstTensorView> in;
  std::vector<TensorView> out;
  for (const Map& window : windows) in.push_back(window.view());
  for (Map& output : outputs) out.push_back(output.view());
  const Status done = executor.compute(program, in, out);
  REQUIRE_MESSAGE(done.ok(), (done ? "" : done.error()));
  std::vector<Map> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    results.push_back(cut(outputs[i], program.outputs[i].region));
    // "Writes exactly the region": what lies around it is as it was.
    const auto untouched = std::count_if(outputs[i].values.begin(), outputs[i].values.end(),
                                         [](float value) { return std::isnan(value); });
    CHECK(untouched >= outputs[i].region.elements() - program.outputs[i].region.elements());
  }
  return results;
}

std::vector<Map> run_whole(Executor& executor, const Model& model, const std::vector<Map>& inputs,
                           WinogradUse use) {
  const TileProgram program = whole_program(model, use);
  const Status prepared = executor.prepare(model, std::span(&program, 1));
  REQUIRE_MESSAGE(prepared.ok(), (prepared ? "" : prepared.error()));
  return run(executor, model, program, inputs);
}

int64_t differing_bytes(const Map& tile, const Map& whole_map) {
  const Map expected = cut(whole_map, tile.region);
  const auto* a = reinterpret_cast<const std::byte*>(tile.values.data());
  const auto* b = reinterpret_cast<const std::byte*>(expected.values.data());
  int64_t count = 0;
  for (size_t i = 0; i < tile.values.size() * sizeof(float); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

double relative_error(const Map& value, const Map& expected) {
  double largest = 0.0, difference = 0.0;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const double a = static_cast<double>(value.values[i]);
    const double b = static_cast<double>(expected.values[i]);
    if (std::isnan(a) != std::isnan(b)) return std::numeric_limits<double>::infinity();
    if (std::isnan(b) || a == b) continue;
    largest = std::max(largest, std::fabs(b));
    difference = std::max(difference, std::fabs(a - b));
  }
  return difference == 0.0 ? 0.0 : difference / std::max(largest, 1e-30);
}

TileProgram random_tile(networks::Random& random, const Model& model, WinogradUse use) {
  std::vector<Slice> outputs;
  for (const Slice& output : whole_program(model, use).outputs) {
    if (!outputs.empty() && random.chance(0.4)) continue;
    outputs.push_back({output.tensor, random_region(random, model.at(output.tensor).shape)});
  }
  return tile_program(model, whole_block(model, use), outputs);
}

}  // namespace shingle::tests
