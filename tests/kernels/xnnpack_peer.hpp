// XNNPACK's convolution over a whole map, as the peer whose bytes ours must equal.
#pragma once

#include "tests/kernels/maps.hpp"

namespace shingle::kernels {

// False if XNNPACK refuses.
bool xnnpack_convolution(const Layer& layer, const Map& input, const Map& output);

}  // namespace shingle::kernels
