// Models of one layer, for tests of executors.
#pragma once

#include <memory>

#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

std::unique_ptr<Executor> make_executor(bool native);

std::vector<float> random_values(int64_t count, uint64_t seed);

struct ConvolutionLayer {
  Window y, x;
  int32_t groups = 1;
  int32_t outputs = 1;
  Activation activation;
};

// Weights scaled so that outputs are about as large as inputs; with a bias.
Model convolution_model(Shape in, const ConvolutionLayer& layer, uint64_t seed);

// One layer of any other kind.
Model layer_model(Shape in, Operator op, Activation activation = {});

Window square(int32_t kernel, int32_t stride = 1, int32_t dilation = 1);  // padded to keep the size

}  // namespace shingle::tests
