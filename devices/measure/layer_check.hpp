// Compares two executors layer by layer: how much their maps of one frame differ.
//
// Each executor computes the whole network by itself, so differences add up from layer to layer as
// they do for a real frame. Look at the first layer that differs.
#pragma once

#include <array>
#include <vector>

#include "devices/executor/executor.hpp"

namespace shingle {

struct Difference {
  int64_t values = 0;
  double largest = 0.0;  // absolute; infinite if only one of the two values is a number
  double rms = 0.0;      // of the differences, relative to the rms of the expected values
  // How many values differ by 0, 1, 2-3, 4-15, 16-255 or more units in the last place.
  std::array<int64_t, 6> ulps{};

  int64_t differing() const { return values - ulps[0]; }
};

// REQUIRES: spans of equal length.
Difference difference(std::span<const float> value, std::span<const float> expected);

struct LayerDifference {
  LayerId layer;
  Difference difference;
};

// The known part of a layer's map: a box, in (y, x, c) order. Empty: nothing is known.
struct LayerMap {
  Region region;
  std::vector<float> values;
};

// One side of the comparison: an executor and the algorithms that it uses.
struct CheckedSide {
  Executor& executor;
  WinogradUse winograd = WinogradUse::where_faster;
  const Plan* plan = nullptr;  // its algorithms are used instead of `winograd`
};

// The whole map of every layer, by layer. The error names the layer that the executor cannot run.
Result<std::vector<LayerMap>> layer_maps(const Model& model, const WholeInputs& inputs,
                                         const CheckedSide& side);

// The differences of all maps that `value` knows, in layer order. REQUIRES: `expected` knows at
// least the same boxes.
std::vector<LayerDifference> differences(const Model& model, const std::vector<LayerMap>& value,
                                         const std::vector<LayerMap>& expected);

// Computes both sides and compares them.
Result<std::vector<LayerDifference>> check_layers(const Model& model, const WholeInputs& inputs,
                                                  const CheckedSide& value,
                                                  const CheckedSide& expected);

}  // namespace shingle
