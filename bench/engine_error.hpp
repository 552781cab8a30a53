// Winograd's rounding error: compares one layer with the same sums in double.
#pragma once

#include <cmath>

#include "devices/native/native_executor.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::bench {

// Relative rms of a 3x3 layer of `channels` inputs on normal numbers, away from the border.
inline double winograd_rms(int32_t channels) {
  constexpr int32_t size = 16, outputs = 32;
  networks::Random random(static_cast<uint64_t>(channels));
  std::vector<float> weights(static_cast<size_t>(outputs * channels * 9));
  for (float& weight : weights) weight = random.normal();
  const std::vector<float> kept = weights;
  Model model;
  const TensorId in = add_input(model, "in", {size, size, channels});
  const Window window{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const ConstantId filter = add_constant(model, std::move(weights));
  add_output(
      model, "out",
      add_layer(model, "layer",
                Convolution{
                    .y = window, .x = window, .groups = 1, .weights = filter, .bias = std::nullopt},
                {in}));
  std::vector<float> input(static_cast<size_t>(size * size * channels));
  for (float& value : input) value = random.normal();
  Runner runner(model, {.threads = 1}, WinogradUse::wherever_it_fits);
  runner.run(input);
  const std::vector<float> got = runner.outputs();  // [channel][y][x]
  double squares = 0, all = 0;
  for (int32_t c = 0; c < outputs; ++c) {
    for (int32_t y = 1; y < size - 1; ++y) {
      for (int32_t x = 1; x < size - 1; ++x) {
        double sum = 0;
        for (int32_t k = 0; k < channels; ++k)
          for (int32_t t = 0; t < 9; ++t)
            sum += double{kept[static_cast<size_t>((c * channels + k) * 9 + t)]} *
                   double{input[static_cast<size_t>(
                       ((y + t / 3 - 1) * size + x + t % 3 - 1) * channels + k)]};
        const double gap = double{got[static_cast<size_t>((c * size + y) * size + x)]} - sum;
        squares += gap * gap;
        all += sum * sum;
      }
    }
  }
  return std::sqrt(squares / all);
}

}  // namespace shingle::bench
