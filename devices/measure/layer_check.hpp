// Layer by layer: how far apart two executors' maps of one frame are.
//
// Each computes the whole network by itself, so differences add up from layer to layer as they do
// when a frame is computed; the first layer that differs is where to look.
#pragma once

#include <array>
#include <vector>

#include "devices/executor/executor.hpp"

namespace shingle {

struct Difference {
  int64_t values = 0;
  double largest = 0.0;  // absolute; infinite where only one of the two is a number
  double rms = 0.0;      // of the differences, relative to that of the expected values
  // How many values are 0, 1, 2-3, 4-15, 16-255 or more units in the last place apart.
  std::array<int64_t, 6> ulps{};

  int64_t differing() const { return values - ulps[0]; }
};

// REQUIRES: spans of equal length.
Difference difference(std::span<const float> value, std::span<const float> expected);

struct LayerDifference {
  LayerId layer;
  Difference difference;
};

// What is known of a layer's map: a box of it, in (y, x, c) order. Empty: nothing.
struct LayerMap {
  Region region;
  std::vector<float> values;
};

// One side of the comparison: an executor and the algorithms that it is to use.
struct CheckedSide {
  Executor& executor;
  WinogradUse winograd = WinogradUse::where_faster;
  const Plan* plan = nullptr;  // whose algorithms, instead
};

// Every layer's map, whole, by layer. The sentence names the layer that the side cannot run.
Result<std::vector<LayerMap>> layer_maps(const Model& model, const WholeInputs& inputs,
                                         const CheckedSide& side);

// In layer order, where `value` knows something. REQUIRES: `expected` knows at least as much.
std::vector<LayerDifference> differences(const Model& model, const std::vector<LayerMap>& value,
                                         const std::vector<LayerMap>& expected);

// Both of the above.
Result<std::vector<LayerDifference>> check_layers(const Model& model, const WholeInputs& inputs,
                                                  const CheckedSide& value,
                                                  const CheckedSide& expected);

}  // namespace shingle
