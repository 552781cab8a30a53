// XNNPACK's convolution over a whole map. Our kernels must give the same bytes.
#pragma once

#include "tests/kernels/maps.hpp"

namespace shingle::kernels {

// False if XNNPACK refuses.
bool xnnpack_convolution(const Layer& layer, const Map& input, const Map& output);

}  // namespace shingle::kernels
