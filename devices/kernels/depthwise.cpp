#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/kernels/depthwise.cpp"
#include "devices/kernels/targets.hpp"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <algorithm>
#include <cassert>
#include <cmath>

#include "devices/kernels/depthwise.hpp"
#include "devices/kernels/depthwise_slide-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

// Outputs summed side by side: enough to hide a multiply-add's latency twice over, and every load
// feeds one.
inline constexpr std::size_t run_pixels = 8;
inline constexpr std::size_t most_depthwise_taps = 128;

struct Strip {
  const DepthwiseConvolution& layer;
  const InputRows& input;
  const OutputRows& output;
  const Epilogue& epilogue;
};

// What one tap of a run of outputs reads. Padding is one zero vector for every pixel and channel.
struct Tap {
  const float* at = nullptr;
  std::ptrdiff_t step = 0;     // from output to output
  std::ptrdiff_t channel = 0;  // 1, or 0 in padding
};

HWY_INLINE V finish(F d, const Strip& s, V v, std::size_t channel, std::size_t count, int32_t y,
                    int32_t x) {
  const Epilogue& e = s.epilogue;
  if (!e.residual) return activate(d, v, e.activation);
  const InputRows& r = *e.residual;
  const V other =
      load_first(d, r.row[y - r.rows.begin] + (x - r.columns.begin) * r.pixel + channel, count);
  if (!e.residual_after_activation) return activate(d, hn::Add(v, other), e.activation);
  return hn::Add(activate(d, v, e.activation), other);
}

// The same out of line: the many instructions of all activations once for every filter, not once
// for each.
HWY_NOINLINE V finish_called(const Strip& s, V v, std::size_t channel, std::size_t count, int32_t y,
                             int32_t x) {
  return finish(F(), s, v, channel, count, y, x);
}

// Pixels outputs beside each other, every channel.
template <std::size_t Pixels>
HWY_NOINLINE void run(const Strip& s, const Tap* taps, std::size_t tap_count, int32_t y,
                      int32_t x) {
  const F d;
  const auto channels = static_cast<std::size_t>(s.layer.channels);
  const float* packed = s.layer.packed;
  float* out =
      s.output.row[y - s.output.rows.begin] + (x - s.output.columns.begin) * s.output.pixel;
  for (std::size_t c = 0; c < channels; c += lanes) {
    const std::size_t count = channels - c;
    V acc[Pixels];
    const V bias = hn::LoadU(d, packed);
    repeat<Pixels>([&](auto i) SHINGLE_INLINE { acc[i] = bias; });
    packed += lanes;
    for (std::size_t t = 0; t < tap_count; ++t, packed += lanes) {
      const V weight = hn::LoadU(d, packed);
      const float* at = taps[t].at + static_cast<std::ptrdiff_t>(c) * taps[t].channel;
      const std::ptrdiff_t step = taps[t].step;
      if (HWY_LIKELY(count >= lanes)) {
        repeat<Pixels>([&](auto i) SHINGLE_INLINE {
          acc[i] =
              hn::MulAdd(hn::LoadU(d, at + static_cast<std::ptrdiff_t>(i) * step), weight, acc[i]);
        });
      } else {
        const std::size_t readable = taps[t].channel ? count : lanes;
        repeat<Pixels>([&](auto i) SHINGLE_INLINE {
          const float* pixel = at + static_cast<std::ptrdiff_t>(i) * step;
          acc[i] = hn::MulAdd(load_first(d, pixel, readable), weight, acc[i]);
        });
      }
    }
    repeat<Pixels>([&](auto i) SHINGLE_INLINE {
      store_first(d, finish(d, s, acc[i], c, count, y, x + static_cast<int32_t>(i)),
                  out + static_cast<std::ptrdiff_t>(i) * s.output.pixel + c, count);
    });
  }
}

// Calls f(ky, kx) in the order of accumulation.
template <class Function>
inline void each_tap(int32_t kernel_y, int32_t kernel_x, const Function& f) {
  for (int32_t kx = 0; kx < kernel_x; ++kx)
    for (int32_t ky = 0; ky < kernel_y; ++ky) f(ky, kx);
}

// False if some of the `count` outputs from (y, x) on would read beside the stored columns; one
// output never does.
inline bool aim(const Strip& s, int32_t y, int32_t x, int32_t count, const float* zeros,
                Tap* taps) {
  const Window &wy = s.layer.y, &wx = s.layer.x;
  const int32_t first = x * wx.stride - wx.pad_begin;
  const int32_t last = first + (count - 1) * wx.stride + (wx.kernel - 1) * wx.dilation;
  const bool inside = first >= s.input.columns.begin && last < s.input.columns.end;
  if (!inside && count > 1) return false;
  each_tap(wy.kernel, wx.kernel, [&](int32_t ky, int32_t kx) {
    const int32_t row = y * wy.stride - wy.pad_begin + ky * wy.dilation;
    const int32_t column = first + kx * wx.dilation;
    const float* start = row >= s.input.rows.begin && row < s.input.rows.end
                             ? s.input.row[row - s.input.rows.begin]
                             : nullptr;
    const bool stored = start && column >= s.input.columns.begin && column < s.input.columns.end;
    *taps++ = stored ? Tap{start + (column - s.input.columns.begin) * s.input.pixel,
                           wx.stride * s.input.pixel, 1}
                     : Tap{zeros, 0, 0};
  });
  return true;
}

// All rows of outputs, one vector of channels, whose columns lie in L1 from row to row.
template <int32_t kernel, int32_t stride, bool whole, class Finish>
HWY_INLINE void slide_down(const Strip& s, std::size_t c, const float* zeros,
                           const Finish& finish) {
  constexpr std::size_t vectors = 1 + static_cast<std::size_t>(kernel * kernel);  // bias, weights
  const std::size_t count = static_cast<std::size_t>(s.layer.channels) - c;
  const SlideWeights<kernel> weights(s.layer.packed + c * vectors);
  const int32_t column = s.output.columns.begin * stride - s.layer.x.pad_begin;
  for (int32_t y = s.output.rows.begin; y < s.output.rows.end; ++y) {
    const auto rows =
        slide_rows<kernel>(s.layer, s.input, y, static_cast<std::ptrdiff_t>(c), zeros);
    slide<kernel, stride, whole>(rows, column, s.output.columns, count, weights,
                                 s.output.row[y - s.output.rows.begin] + c, s.output.pixel,
                                 [&](V v, int32_t x) SHINGLE_INLINE { return finish(v, y, x); });
  }
}

// The usual activations are compiled into the loop. They are less and less of the time of larger
// filters, whose loops are longer: 7x7 has one for no activation and one for all others.
template <int32_t kernel, int32_t stride>
HWY_NOINLINE void slide_vector(const Strip& s, std::size_t c, const float* zeros) {
  using Kind = Activation::Kind;
  const F d;
  const auto run = [&](const auto& finish)
                       SHINGLE_INLINE { slide_down<kernel, stride, true>(s, c, zeros, finish); };
  const Activation& activation = s.epilogue.activation;
  const bool alone = s.epilogue.residual == nullptr;
  if (alone && activation.kind == Kind::none)
    return run([](V v, int32_t, int32_t) SHINGLE_INLINE { return v; });
  if constexpr (kernel < 7) {
    const bool relu = activation.kind == Kind::relu;
    if (alone && (relu || activation.kind == Kind::clip)) {
      const V low = hn::Set(d, relu ? 0.0F : activation.alpha);
      const V high = hn::Set(d, relu ? HUGE_VALF : activation.beta);
      return run([&](V v, int32_t, int32_t)
                     SHINGLE_INLINE { return hn::Min(hn::Max(v, low), high); });
    }
    if (alone && activation.kind == Kind::silu)
      return run([&](V v, int32_t, int32_t) SHINGLE_INLINE { return silu(d, v); });
    if (alone && activation.kind == Kind::hard_swish)
      return run([&](V v, int32_t, int32_t) SHINGLE_INLINE { return hard_swish(d, v); });
  }
  run([&](V v, int32_t y, int32_t x)
          SHINGLE_INLINE { return finish_called(s, v, c, lanes, y, x); });
}

template <int32_t kernel, int32_t stride>
HWY_NOINLINE void slide_rest(const Strip& s, std::size_t c, const float* zeros) {
  const std::size_t count = static_cast<std::size_t>(s.layer.channels) - c;
  slide_down<kernel, stride, false>(s, c, zeros, [&](V v, int32_t y, int32_t x) SHINGLE_INLINE {
    return finish_called(s, v, c, count, y, x);
  });
}

template <int32_t kernel, int32_t stride>
inline void slide_all(const Strip& s, const float* zeros) {
  const auto channels = static_cast<std::size_t>(s.layer.channels);
  std::size_t c = 0;
  for (; c + lanes <= channels; c += lanes) slide_vector<kernel, stride>(s, c, zeros);
  if (c < channels) slide_rest<kernel, stride>(s, c, zeros);
}

inline auto slide_function(const DepthwiseConvolution& layer) {
  const bool by_one = layer.x.stride == 1;
  switch (layer.x.kernel) {
    case 3:
      return by_one ? &slide_all<3, 1> : &slide_all<3, 2>;
    case 5:
      return by_one ? &slide_all<5, 1> : &slide_all<5, 2>;
    default:
      return by_one ? &slide_all<7, 1> : &slide_all<7, 2>;
  }
}

void depthwise(const DepthwiseConvolution& layer, const InputRows& input, const OutputRows& output,
               const Epilogue& epilogue) {
  const Strip s{layer, input, output, epilogue};
  HWY_ALIGN static constexpr float zeros[lanes] = {};
  if (slides(layer)) return slide_function(layer)(s, zeros);
  constexpr auto pixels = static_cast<int32_t>(run_pixels);
  const auto tap_count = static_cast<std::size_t>(layer.y.kernel * layer.x.kernel);
  Tap taps[most_depthwise_taps];
  for (int32_t y = output.rows.begin; y < output.rows.end; ++y) {
    for (int32_t x = output.columns.begin; x < output.columns.end;) {
      if (x + pixels <= output.columns.end && aim(s, y, x, pixels, zeros, taps)) {
        run<run_pixels>(s, taps, tap_count, y, x);
        x += pixels;
      } else {
        aim(s, y, x, 1, zeros, taps);
        run<1>(s, taps, tap_count, y, x++);
      }
    }
  }
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shingle::kernels {
HWY_EXPORT(depthwise);

std::size_t depthwise_floats(int32_t channels, int32_t kernel_y, int32_t kernel_x) {
  const int32_t vector = vector_floats();
  return static_cast<std::size_t>((channels + vector - 1) / vector * vector) *
         static_cast<std::size_t>(1 + kernel_y * kernel_x);
}

void pack_depthwise(int32_t channels, int32_t kernel_y, int32_t kernel_x, const float* weights,
                    std::span<const float> bias, float* packed) {
  const auto vector = static_cast<std::size_t>(vector_floats());
  const auto count = static_cast<std::size_t>(channels);
  const auto height = static_cast<std::size_t>(kernel_y),
             width = static_cast<std::size_t>(kernel_x);
  const std::size_t taps = height * width;
  for (std::size_t c = 0; c < count; c += vector) {
    for (std::size_t i = 0; i < vector; ++i)
      *packed++ = c + i < count && !bias.empty() ? bias[c + i] : 0.0F;
    for (std::size_t t = 0; t < taps; ++t) {
      const std::size_t tap = t % height * width + t / height;
      for (std::size_t i = 0; i < vector; ++i)
        *packed++ = c + i < count ? weights[(c + i) * taps + tap] : 0.0F;
    }
  }
}

void depthwise_convolution(const DepthwiseConvolution& layer, const InputRows& input,
                           const OutputRows& output, const Epilogue& epilogue) {
  assert(layer.y.kernel * layer.x.kernel <= 128);
  HWY_DYNAMIC_DISPATCH(depthwise)(layer, input, output, epilogue);
}

}  // namespace shingle::kernels
#endif
