#include "tests/kernels/xnnpack_peer.hpp"

#include "devices/xnnpack/xnn_memory.hpp"
#include "devices/xnnpack/xnn_operators.hpp"

namespace shingle::kernels {

namespace {

// The whole map with its border of zeros, and the bytes behind it that XNNPACK may read.
struct Padded {
  Padded(const Layer& layer, const Map& input);

  int32_t height, width;
  std::vector<float> data;
};

Padded::Padded(const Layer& l, const Map& input)
    : height(input.rows.end + l.y.pad_begin + l.y.pad_end),
      width(input.columns.end + l.x.pad_begin + l.x.pad_end) {
  const auto length = [&](int32_t pixels) {
    return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(input.channels);
  };
  data.resize(static_cast<std::size_t>(height) * length(width) +
              static_cast<std::size_t>(xnnpack_extra_bytes) / sizeof(float));
  for (int32_t y = 0; y < input.rows.end; ++y) {
    const float* row = input.row[static_cast<std::size_t>(y)];
    std::copy_n(
        row, length(input.columns.end),
        &data[static_cast<std::size_t>(y + l.y.pad_begin) * length(width) + length(l.x.pad_begin)]);
  }
}

// The weights in XNNPACK's order: [output channel][ky][kx][input channel].
std::vector<float> transposed(const Layer& l) {
  const FilterShape& f = l.filter;
  const int32_t taps = f.kernel_y * f.kernel_x;
  std::vector<float> weights;
  for (int32_t o = 0; o < f.outputs; ++o)
    for (int32_t t = 0; t < taps; ++t)
      for (int32_t k = 0; k < f.inputs; ++k)
        weights.push_back(l.weights[static_cast<std::size_t>((o * f.inputs + k) * taps + t)]);
  return weights;
}

}  // namespace

bool xnnpack_convolution(const Layer& l, const Map& input, const Map& output) {
  if (!initialise_xnnpack()) return false;
  const FilterShape& f = l.filter;
  Result<XnnOperator> op = XnnOperator::convolution({.y = l.y,
                                                     .x = l.x,
                                                     .groups = f.groups,
                                                     .group_inputs = f.inputs,
                                                     .group_outputs = f.outputs / f.groups,
                                                     .range = {}},
                                                    transposed(l).data(), l.bias.data());
  if (!op) return false;
  const Padded padded(l, input);
  return op
      ->run({.height = padded.height,
             .width = padded.width,
             .in = padded.data.data(),
             .out = output.row[0],
             .pool = nullptr})
      .ok();
}

}  // namespace shingle::kernels
