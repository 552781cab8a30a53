// A random input for any model; a seed gives the same values on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle {

// Bytes for u8, floats in [-1, 1) for f32.
std::vector<std::byte> seeded_input(const Tensor& tensor, uint64_t seed);
// All inputs of a model; the first is drawn from `seed` itself.
WholeInputs seeded_inputs(const Model& model, uint64_t seed);

}  // namespace shingle
