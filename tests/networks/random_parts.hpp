// What random networks are drawn from: activations, windows, moves of elements.
#pragma once

#include "partition/model/operator.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::networks {

Activation random_activation(Random& random);

struct WindowLimits {
  int32_t size, largest_output, dilation;
};
// Any window that fits a map of `size`, including even kernels and uneven pads. No pad reaches the
// kernel's extent, and a dilated kernel fits the map without pads, so no window lies wholly in
// padding.
Window random_window(Random& random, const WindowLimits& limits);
// Other readers require for an average that a pad is at most the smaller half of the kernel.
Window random_average_window(Random& random, int32_t size, int32_t largest_output);

// Floor rounding, or ceil rounding of both axes if the last window then begins on the map.
Shape random_pooled_shape(Random& random, Shape in, const Window& y, const Window& x);

// REQUIRES: channels in that many groups, or of 4; an even height and width.
Rearrange channel_shuffle_move(Shape in, int32_t groups);
Rearrange depth_to_space_move(Shape in);
Rearrange space_to_depth_move(Shape in);

}  // namespace shingle::networks
