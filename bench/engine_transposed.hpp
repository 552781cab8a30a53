// Transposed convolutions beside ordinary ones of equal multiply-adds: the same kernel and channels
// over the same input map, computed by the direct algorithm.
#pragma once

#include "bench/engine_flops.hpp"
#include "bench/engine_report.hpp"
#include "bench/engine_runner.hpp"

namespace shingle::bench {

struct TransposedShape {
  const char* key;
  Shape in;
  int32_t outputs, kernel, stride, pad;
};

// Layers of the networks that the keys begin with: of U-Net at 512x512 pixels, of the others at
// 640x640. The last one is depthwise. It does few multiply-adds for each output and stores four
// times as many outputs as its partner, so storing takes its time: it is reported, but not judged.
inline constexpr TransposedShape transposed_shapes[] = {
    {"unet_deep", {32, 32, 512}, 256, 2, 2, 0}, {"unet_middle", {64, 64, 256}, 128, 2, 2, 0},
    {"unet_top", {256, 256, 64}, 32, 2, 2, 0},  {"dbnet_first", {160, 160, 64}, 64, 2, 2, 0},
    {"dbnet_last", {320, 320, 64}, 1, 2, 2, 0}, {"pose_k4", {40, 40, 256}, 256, 4, 2, 1},
    {"decoder_k3", {80, 80, 128}, 64, 3, 2, 1}, {"fcn_k4_depthwise", {80, 80, 64}, 64, 4, 2, 1}};

inline bool is_depthwise(const TransposedShape& shape) {
  return std::string_view(shape.key).ends_with("depthwise");
}

// One layer. The transposed one's map is `stride` times as high and wide as its input, the ordinary
// one's as large.
inline Model transposed_model(const TransposedShape& shape, bool transposed) {
  const int32_t groups = is_depthwise(shape) ? shape.in.c : 1;
  networks::Random random(5);
  const int64_t count = int64_t{shape.in.c} * shape.outputs / groups * shape.kernel * shape.kernel;
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.normal() * 0.05F;
  Model model;
  const TensorId in = add_input(model, "in", shape.in);
  const ConstantId weights = add_constant(model, std::move(values));
  const ConstantId bias =
      add_constant(model, std::vector<float>(static_cast<size_t>(shape.outputs), 0.1F));
  const Activation relu{.kind = Activation::Kind::relu};
  if (transposed) {
    const Window window{shape.kernel, shape.stride, 1, shape.pad, shape.pad};
    const TransposedConvolution op{window, window, groups, weights, bias};
    const Shape out{shape.in.h * shape.stride, shape.in.w * shape.stride, shape.outputs};
    add_output(model, "out", add_layer(model, "layer", op, {in}, relu, out));
    return model;
  }
  const Window window{shape.kernel, 1, 1, (shape.kernel - 1) / 2, shape.kernel / 2};
  const Convolution op{window, window, groups, weights, bias};
  add_output(model, "out", add_layer(model, "layer", op, {in}, relu));
  return model;
}

// The median over the rounds of a transposed one's time divided by the ordinary one's. A round has
// three runs of each, by turns, whose fastest count.
inline double transposed_ratio(const TransposedShape& shape, int rounds) {
  const Model up = transposed_model(shape, true), flat = transposed_model(shape, false);
  Runner own(up, {.threads = 1}, WinogradUse::never),
      partner(flat, {.threads = 1}, WinogradUse::never);
  const std::vector<float> input = networks::random_input(shape.in, 7);
  const double flops = own_flops(up, own.program()),
               partner_flops = own_flops(flat, partner.program());
  std::vector<double> took, beside;
  for (int round = 0; round < rounds; ++round) {
    double best = HUGE_VAL, best_beside = HUGE_VAL;
    for (int run = 0; run < 3; ++run) {
      best_beside = std::min(best_beside, seconds([&] { partner.run(input); }));
      best = std::min(best, seconds([&] { own.run(input); }));
    }
    took.push_back(best / flops);
    beside.push_back(best_beside / partner_flops);
  }
  const double ratio = median_ratio(took, beside);
  std::printf("  %-17s %4dx%-4d %4d -> %-4d k%d s%d: %8.3f ms, %6.1f GFLOP/s, ratio %.3f\n",
              shape.key, shape.in.h, shape.in.w, shape.in.c, shape.outputs, shape.kernel,
              shape.stride, median(took) * flops * 1e3, 1e-9 / median(took), ratio);
  return ratio;
}

inline void measure_transposed(int rounds, Report& report) {
  std::printf("transposed convolutions, on one thread, beside ordinary ones of equal work\n");
  double worst = 0;
  for (const TransposedShape& shape : transposed_shapes) {
    const double ratio = transposed_ratio(shape, rounds);
    report.set(std::string("conv_transpose_") + shape.key, ratio);
    if (!is_depthwise(shape)) worst = std::max(worst, ratio);
  }
  report.at_most("conv_transpose_ratio", worst, 1.5);
}

}  // namespace shingle::bench
