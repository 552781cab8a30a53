// Depthwise 3x3, 5x5 and 7x7 filters: a window slides along a row, one vector of channels at a
// time.
//
//   column        2x-1   2x   2x+1  2x+2  2x+3        3x3, stride 2: a column's three pixels are
//   output x       k0    k1    k2                     loaded once for all outputs that read them
//   output x+1                 k0    k1    k2
//
// Nine multiply-adds take three loads (stride 1) or six (stride 2); a block of outputs side by side
// would take nine loads. The weights of 3x3 stay in registers, and those of 5x5 where there are 32.
// Borders cost no more than the interior. Each output is summed in the order of depthwise.hpp: the
// same bits.
#if defined(SHINGLE_KERNELS_DEPTHWISE_SLIDE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHINGLE_KERNELS_DEPTHWISE_SLIDE_INL
#undef SHINGLE_KERNELS_DEPTHWISE_SLIDE_INL
#else
#define SHINGLE_KERNELS_DEPTHWISE_SLIDE_INL
#endif

#include "devices/kernels/block-inl.hpp"
#include "devices/kernels/depthwise.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

inline bool slides(const DepthwiseConvolution& layer) {
  const auto fits = [](const Window& w) {
    return (w.kernel == 3 || w.kernel == 5 || w.kernel == 7) && w.dilation == 1;
  };
  return fits(layer.y) && fits(layer.x) && layer.y.kernel == layer.x.kernel && layer.x.stride <= 2;
}

// The input rows for one row of outputs. `at` points to channel `c` of their first stored column. A
// row of padding is one zero vector that is read with step 0.
template <int32_t kernel>
struct SlideRows {
  const float* at[kernel];
  std::ptrdiff_t step[kernel];  // from column to column
  int32_t first, columns;       // the stored ones
};

template <int32_t kernel>
inline SlideRows<kernel> slide_rows(const DepthwiseConvolution& layer, const InputRows& input,
                                    int32_t y, std::ptrdiff_t c, const float* zeros) {
  SlideRows<kernel> rows{{}, {}, input.columns.begin, input.columns.size()};
  for (int32_t ky = 0; ky < kernel; ++ky) {
    const int32_t i = y * layer.y.stride - layer.y.pad_begin + ky - input.rows.begin;
    const float* row = i >= 0 && i < input.rows.size() ? input.row[i] : nullptr;
    rows.at[ky] = row ? row + c : zeros;
    rows.step[ky] = row ? input.pixel : 0;
  }
  return rows;
}

// A vector of channels' bias and weights, [kx][ky]: in an array that the compiler keeps in
// registers where they are enough, else in memory.
template <int32_t kernel>
struct SlideWeights {
  static constexpr std::size_t taps = static_cast<std::size_t>(kernel * kernel);
  static constexpr bool kept = kernel == 3 || (kernel == 5 && block_pixels == 14);
  HWY_ATTR explicit SlideWeights(const float* from) : packed(from) {
    const F d;
    if constexpr (kept)
      repeat<taps>([&](auto t) SHINGLE_INLINE { weights[t] = hn::LoadU(d, at(t)); });
  }
  const float* at(std::size_t tap) const { return packed + (1 + tap) * lanes; }
  HWY_INLINE V bias() const { return hn::LoadU(F(), packed); }
  HWY_INLINE V operator[](std::size_t tap) const {
    if constexpr (kept)
      return weights[tap];
    else
      return hn::LoadU(F(), at(tap));
  }

  const float* packed;
  V weights[kept ? taps : 1];
};

// Computes outputs [columns.begin, columns.end) of one row for a vector of channels. Stores
// finish(sum, x) at `out`, pixels `step` floats apart.
//
// sums[i] is what the output x + i has so far; it lacks the columns from the kernel's
// (kernel - stride * (i + 1)) on. A step adds `stride` columns, which completes sums[0] and begins
// the last.
template <int32_t kernel, int32_t stride, bool whole, class Finish>
HWY_INLINE void slide(const SlideRows<kernel>& rows, int32_t column, Span columns,
                      std::size_t count, const SlideWeights<kernel>& weights, float* out,
                      std::ptrdiff_t step, const Finish& finish) {
  constexpr int32_t open = (kernel - 1) / stride;
  const F d;
  const V bias = weights.bias();
  V sums[open + 1];
  // The next column, which is column `kx` of sums[0]'s window: a constant, or a number.
  const auto add = [&](auto kx) SHINGLE_INLINE {
    const int32_t i = column++ - rows.first;
    const bool stored = i >= 0 && i < rows.columns;
    V pixels[kernel];
    repeat<kernel>([&](auto ky) SHINGLE_INLINE {
      const float* from = rows.at[ky] + i * rows.step[ky];
      pixels[ky] = !stored ? hn::Zero(d) : whole ? hn::LoadU(d, from) : load_first(d, from, count);
    });
    repeat<open + 1>([&](auto sum) SHINGLE_INLINE {
      const int32_t tap = static_cast<int32_t>(kx) - stride * static_cast<int32_t>(sum);
      if (tap < 0) return;
      const auto first = static_cast<std::size_t>(tap * kernel);
      repeat<kernel>([&](auto ky) SHINGLE_INLINE {
        sums[sum] = hn::MulAdd(pixels[ky], weights[first + ky], sums[sum]);
      });
    });
  };
  repeat<open + 1>([&](auto sum) SHINGLE_INLINE { sums[sum] = bias; });
  if constexpr (kernel < 7) {
    repeat<kernel - stride>([&](auto kx) SHINGLE_INLINE { add(kx); });
  } else {  // copies of so long a body would cost compilers minutes
    for (int32_t kx = 0; kx < kernel - stride; ++kx) add(kx);
  }
  for (int32_t x = columns.begin; x < columns.end; ++x, out += step) {
    repeat<stride>([&](auto i) SHINGLE_INLINE {
      add(std::integral_constant<std::size_t, static_cast<std::size_t>(kernel - stride) + i>());
    });
    const V value = finish(sums[0], x);
    if constexpr (whole)
      hn::StoreU(value, d, out);
    else
      store_first(d, value, out, count);
    repeat<open>([&](auto sum) SHINGLE_INLINE { sums[sum] = sums[sum + 1]; });
    sums[open] = bias;
  }
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
