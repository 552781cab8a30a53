// Convolution and its transpose: each output sums its taps in the order kernel row, kernel column,
// input channel, in double, and is rounded once after the bias.
#include <algorithm>
#include <array>

#include "devices/executor/view.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

constexpr int32_t lanes = 64;  // output channels summed side by side: 512 bytes of the stack

// A run of output channels within one group, and the weights' layout around it.
struct ChannelRun {
  int32_t begin = 0, size = 0;      // of the output channels
  int32_t input_begin = 0;          // first input channel of the group
  const float* weights = nullptr;   // of tap 0, the group's input channel 0, output channel begin
  int32_t inputs = 0, outputs = 0;  // channels per group
};

using Sums = std::array<double, lanes>;

void add_tap(const ChannelRun& run, const float* pixel, int64_t tap, Sums& sums) {
  const float* weights = run.weights + tap * run.inputs * run.outputs;
  for (int32_t i = 0; i < run.inputs; ++i, weights += run.outputs) {
    const auto value = static_cast<double>(pixel[i]);
    for (int32_t lane = 0; lane < run.size; ++lane) {
      sums[static_cast<size_t>(lane)] += value * static_cast<double>(weights[lane]);
    }
  }
}

// Calls `tap_at(axis window, output, tap)` for the input of each tap; negative: the tap reads none.
template <class Op, class InputOfTap>
void convolve(const PlainCall& call, const Op& op, InputOfTap input_of_tap) {
  const ConstTensorView& in = call.inputs[0];
  const Shape in_shape = call.model.at(call.layer.inputs[0]).shape;
  const Region& region = call.region;
  const int32_t inputs = in_shape.c / op.groups;
  const int32_t outputs = call.model.at(call.layer.output).shape.c / op.groups;
  const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;
  const auto pixel = [&](int32_t oy, int32_t ox, const ChannelRun& run) {
    Sums sums{};
    for (int32_t ky = 0; ky < op.y.kernel; ++ky) {
      const int32_t iy = input_of_tap(op.y, oy, ky, in_shape.h);
      if (iy < 0) continue;
      for (int32_t kx = 0; kx < op.x.kernel; ++kx) {
        const int32_t ix = input_of_tap(op.x, ox, kx, in_shape.w);
        if (ix < 0) continue;
        add_tap(run, at(in, iy, ix, run.input_begin), int64_t{ky} * op.x.kernel + kx, sums);
      }
    }
    float* out = at(call.output, oy, ox, run.begin);
    for (int32_t lane = 0; lane < run.size; ++lane) {
      const double bias =
          static_cast<double>(call.constants.bias[static_cast<size_t>(run.begin + lane)]);
      out[lane] = static_cast<float>(sums[static_cast<size_t>(lane)] + bias);
    }
  };
  for (int32_t c = region.c.begin; c < region.c.end;) {
    const int32_t group = c / outputs, first = c % outputs;
    const ChannelRun run{
        .begin = c,
        .size = std::min({lanes, outputs - first, region.c.end - c}),
        .input_begin = group * inputs,
        .weights = call.constants.weights.data() + group * taps * inputs * outputs + first,
        .inputs = inputs,
        .outputs = outputs};
    for (int32_t oy = region.y.begin; oy < region.y.end; ++oy) {
      for (int32_t ox = region.x.begin; ox < region.x.end; ++ox) pixel(oy, ox, run);
    }
    c += run.size;
  }
}

int32_t on_map(int64_t position, int32_t size) {
  return position >= 0 && position < size ? static_cast<int32_t>(position) : -1;
}

}  // namespace

void run_operator(const PlainCall& call, const Convolution& op) {
  convolve(call, op, [](const Window& window, int32_t output, int32_t tap, int32_t size) {
    return on_map(
        int64_t{output} * window.stride - window.pad_begin + int64_t{tap} * window.dilation, size);
  });
}

void run_operator(const PlainCall& call, const TransposedConvolution& op) {
  convolve(call, op, [](const Window& window, int32_t output, int32_t tap, int32_t size) {
    const int64_t scaled = int64_t{output} + window.pad_begin - int64_t{tap} * window.dilation;
    return scaled % window.stride == 0 ? on_map(scaled / window.stride, size) : -1;
  });
}

}  // namespace shingle
