// Depthwise 3x3 filters: a window slides along a row, one vector of channels at a time.
//
//   column        2x-1   2x   2x+1  2x+2  2x+3        stride 2: a column's three pixels are loaded
//   output x       k0    k1    k2                     once, all nine weights stay in registers
//   output x+1                 k0    k1    k2
//
// Nine multiply-adds take three loads (stride 1) or six (stride 2); a block of outputs side by side
// would take nine loads. Borders cost no more than the interior. Each output is summed in the order
// of depthwise.hpp: the same bits.
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
  const auto fits = [](const Window& w) { return w.kernel == 3 && w.dilation == 1; };
  return fits(layer.y) && fits(layer.x) && layer.x.stride <= 2;
}

// The three input rows for one row of outputs. `at` points to channel `c` of their first stored
// column. A row of padding is one zero vector that is read with step 0.
struct SlideRows {
  const float* at[3];
  std::ptrdiff_t step[3];  // from column to column
  int32_t first, columns;  // the stored ones
};

inline SlideRows slide_rows(const DepthwiseConvolution& layer, const InputRows& input, int32_t y,
                            std::ptrdiff_t c, const float* zeros) {
  SlideRows rows{{}, {}, input.columns.begin, input.columns.size()};
  for (int32_t ky = 0; ky < 3; ++ky) {
    const int32_t i = y * layer.y.stride - layer.y.pad_begin + ky - input.rows.begin;
    const float* row = i >= 0 && i < input.rows.size() ? input.row[i] : nullptr;
    rows.at[ky] = row ? row + c : zeros;
    rows.step[ky] = row ? input.pixel : 0;
  }
  return rows;
}

struct Column {
  HWY_ATTR Column() {}
  V row[3];
};

template <bool whole>
HWY_INLINE Column load_column(F d, const SlideRows& rows, int32_t column, std::size_t count) {
  Column v;
  const int32_t i = column - rows.first;
  const bool stored = i >= 0 && i < rows.columns;
  repeat<3>([&](auto r) SHINGLE_INLINE {
    if (!stored) {
      v.row[r] = hn::Zero(d);
      return;
    }
    const float* from = rows.at[r] + i * rows.step[r];
    v.row[r] = whole ? hn::LoadU(d, from) : load_first(d, from, count);
  });
  return v;
}

// Computes outputs [columns.begin, columns.end) of one row for the vector of channels whose weights
// start at `packed`. Stores finish(sum, x) at `out`, pixels `step` floats apart.
template <int32_t stride, bool whole, class Finish>
HWY_INLINE void slide(const DepthwiseConvolution& layer, const SlideRows& rows, Span columns,
                      std::size_t count, const float* packed, float* out, std::ptrdiff_t step,
                      const Finish& finish) {
  const F d;
  const V bias = hn::LoadU(d, packed);
  V weights[9];
  repeat<9>([&](auto t) SHINGLE_INLINE { weights[t] = hn::LoadU(d, packed + (1 + t) * lanes); });
  const auto add = [&](auto kx, const Column& v, V sum) SHINGLE_INLINE {
    repeat<3>([&](auto ky)
                  SHINGLE_INLINE { sum = hn::MulAdd(v.row[ky], weights[3 * kx + ky], sum); });
    return sum;
  };
  constexpr std::integral_constant<std::size_t, 0> k0;
  constexpr std::integral_constant<std::size_t, 1> k1;
  constexpr std::integral_constant<std::size_t, 2> k2;
  int32_t column = columns.begin * stride - layer.x.pad_begin;
  const auto next = [&]() SHINGLE_INLINE { return load_column<whole>(d, rows, column++, count); };
  V sum = add(k0, next(), bias), after = bias;
  if constexpr (stride == 1) {
    const Column v = next();
    sum = add(k1, v, sum);
    after = add(k0, v, bias);
  }
  for (int32_t x = columns.begin; x < columns.end; ++x, out += step) {
    if constexpr (stride == 2) sum = add(k1, next(), sum);
    const Column v = next();
    const V value = finish(add(k2, v, sum), x);
    if constexpr (whole)
      hn::StoreU(value, d, out);
    else
      store_first(d, value, out, count);
    if constexpr (stride == 1) {
      sum = add(k1, v, after);
      after = add(k0, v, bias);
    } else {
      sum = add(k0, v, bias);
    }
  }
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
