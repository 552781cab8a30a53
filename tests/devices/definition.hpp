// An operator's definition as a formula, and a result held against it.
#pragma once

#include <functional>

#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

using Definition = std::function<double(int32_t y, int32_t x, int32_t c)>;

// Everything of `computed` lies within `tolerance` of its definition.
void check_everywhere(const Map& computed, const Definition& exact, double tolerance = 1e-5);

// The first output of the whole model on the reference executor.
Map reference_result(const Model& model, const std::vector<Map>& inputs);

}  // namespace shingle::tests
