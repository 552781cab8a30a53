// Plans for tests: clusters of equal nodes, and a model cut at random.
#pragma once

#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {

Cluster equal_nodes(uint32_t count);

// Random cuts, a grid of up to 6 x 6 (mostly uneven on the model's maps), up to eight nodes.
Plan random_plan(networks::Random& random, const Model& model);

// A padded 3x3 convolution named "conv", the building block of the tests' small models.
TensorId add_conv(Model& model, TensorId input, int32_t channels, Window window);
inline constexpr Window same3{
    .kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
inline constexpr Window half3{
    .kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};

// Three 3x3 convolutions in sequence on a square map; the model's output is the last one.
Model chain(int32_t size, Window middle = same3);

}  // namespace shingle
