// The register block: M pixels x N vectors of output channels, each summed over taps and input
// channels.
//
//   acc[m][n] = bias[n] + sum over taps t, input channels k, in this order, of  a[t][m*step + k] *
//   panel[t][k][n]
//
// A tap that reads only zeros is left out. This changes no bit if the weights are finite: a sum
// that does not begin with -0 never becomes -0, and adding 0 to any other number changes nothing.
//
// AVX-512 and NEON have 32 registers: 14 x 2 accumulators + 2 weights + 1 pixel = 31, and 16 loads
// for 28 multiply-adds; 128-bit NEON takes 6 x 4 (10 loads for 24). With 16 registers: 6 x 2 + 2 +
// 1 = 15. Pixels are addressed in threes from one pointer ([p], [p + s], [p + 2 s]), so that 14
// pixels need 5 pointers and nothing spills.
#if defined(SHINGLE_KERNELS_BLOCK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHINGLE_KERNELS_BLOCK_INL
#undef SHINGLE_KERNELS_BLOCK_INL
#else
#define SHINGLE_KERNELS_BLOCK_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <array>
#include <cstring>
#include <utility>

#include "devices/kernels/epilogue.hpp"
#include "devices/kernels/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
inline constexpr std::size_t block_pixels = 14, block_vectors = 2;
#elif HWY_ARCH_ARM_A64
inline constexpr std::size_t block_pixels = 6, block_vectors = 4;
#else
inline constexpr std::size_t block_pixels = 6, block_vectors = 2;
#endif

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;
inline constexpr std::size_t lanes = hn::MaxLanes(F());

struct BlockCall {
  const float* const* taps = nullptr;        // for each tap, the input of pixel 0; null: all zeros
  const float* const* taps_below = nullptr;  // for the row below; only compute_pooled() reads it
  std::size_t tap_count = 1, depth = 0;
  std::ptrdiff_t step = 0;      // from pixel to pixel
  const float* bias = nullptr;  // N vectors, or nullptr: zeros
  bool go_on = false;  // add to the values in `output` instead; all N vectors of it are read
  const float* weights = nullptr;  // [tap][depth][N vectors]
  float* output = nullptr;
  std::ptrdiff_t output_step = 0;
  std::size_t width = 0;  // channels to store, at most N vectors
  const Activation* activation = nullptr;
  const float* residual = nullptr;  // of pixel 0, or nullptr
  std::ptrdiff_t residual_step = 0;
  bool residual_after = false;
};

// The first `count` floats of a vector. Memory behind them is not touched; only AVX-512 has masks
// that cost nothing.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
HWY_INLINE V load_first(F d, const float* from, std::size_t count) {
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
}
HWY_INLINE void store_first(F d, V v, float* to, std::size_t count) {
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
}
#else
HWY_INLINE V load_first(F d, const float* from, std::size_t count) {
  if (count >= lanes) return hn::LoadU(d, from);
  HWY_ALIGN float padded[lanes] = {};
  std::memcpy(padded, from, count * sizeof(float));
  return hn::Load(d, padded);
}
HWY_INLINE void store_first(F d, V v, float* to, std::size_t count) {
  if (count >= lanes) return hn::StoreU(v, d, to);
  HWY_ALIGN float padded[lanes];
  hn::Store(v, d, padded);
  std::memcpy(to, padded, count * sizeof(float));
}
#endif

template <std::size_t M, std::size_t N>
struct Block {
  // Explicit, because an implicit one would not have the target's instruction set.
  HWY_ATTR Block() {}
  V at[M][N];
};

// f(0), f(1)... f(Count - 1) with constants. The compiler keeps an array in registers only if all
// its indices are constants already before loops are unrolled.
#define SHINGLE_INLINE HWY_ATTR __attribute__((always_inline))
template <std::size_t Count, class Function>
HWY_INLINE void repeat(const Function& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) SHINGLE_INLINE {
    (f(std::integral_constant<std::size_t, I>()), ...);
  }
  (std::make_index_sequence<Count>());
}

template <std::size_t M, std::size_t N>
HWY_INLINE void start(F d, const float* bias, Block<M, N>& acc) {
  repeat<N>([&](auto n) SHINGLE_INLINE {
    const V first = bias ? hn::LoadU(d, bias + n * lanes) : hn::Zero(d);
    repeat<M>([&](auto m) SHINGLE_INLINE { acc.at[m][n] = first; });
  });
}

template <std::size_t M, std::size_t N>
HWY_INLINE void take_up(F d, const float* output, std::ptrdiff_t step, Block<M, N>& acc) {
  repeat<M>([&](auto m) SHINGLE_INLINE {
    const float* from = output + static_cast<std::ptrdiff_t>(m) * step;
    repeat<N>([&](auto n) SHINGLE_INLINE { acc.at[m][n] = hn::LoadU(d, from + n * lanes); });
  });
}

// Weights are prefetched this many floats ahead: 32 steps of AVX-512, about 450 cycles, the latency
// of L3. The processors' own prefetchers stop at the end of a page, and a panel's weights are
// longer than that. Addresses behind the last panel are prefetched too: a prefetch never faults.
inline constexpr std::size_t weights_ahead = 1024;

template <std::size_t N>
HWY_INLINE void fetch_weights(const float* weights) {
  repeat<(N * lanes + line_floats - 1) / line_floats>([&](auto line) SHINGLE_INLINE {
    hwy::Prefetch(weights + weights_ahead + line * line_floats);
  });
}

// Pixels share pointers by `Group`: pixel m is at p[m / Group] + m % Group steps.
template <std::size_t Group, std::size_t M, std::size_t N, std::size_t Groups>
HWY_INLINE void accumulate(F d, const float* (&p)[Groups], std::ptrdiff_t step, std::size_t depth,
                           const float*& weights, Block<M, N>& acc) {
  const float* w = weights;
  for (std::size_t k = 0; k < depth; ++k) {
    fetch_weights<N>(w);
    V b[N];
    repeat<N>([&](auto n) SHINGLE_INLINE { b[n] = hn::LoadU(d, w + n * lanes); });
    repeat<M>([&](auto m) SHINGLE_INLINE {
      const V pixel = hn::Set(d, p[m / Group][static_cast<std::ptrdiff_t>(m % Group) * step]);
      repeat<N>([&](auto n)
                    SHINGLE_INLINE { acc.at[m][n] = hn::MulAdd(pixel, b[n], acc.at[m][n]); });
    });
    repeat<Groups>([&](auto g) SHINGLE_INLINE { ++p[g]; });
    w += N * lanes;
  }
  weights = w;
}

template <std::size_t M, std::size_t N>
HWY_INLINE void accumulate_tap(F d, const float* a, std::ptrdiff_t step, std::size_t depth,
                               const float*& weights, Block<M, N>& acc) {
  constexpr std::size_t groups = (M + 2) / 3;
  const float* p[groups];
  repeat<groups>([&](auto g)
                     SHINGLE_INLINE { p[g] = a + static_cast<std::ptrdiff_t>(3 * g) * step; });
  accumulate<3>(d, p, step, depth, weights, acc);
}

// Activations of a few instructions are applied in the registers. The others are applied to the
// stored block, which is still in L1.
inline bool is_light(const Activation& activation) {
  using Kind = Activation::Kind;
  return activation.kind == Kind::none || activation.kind == Kind::relu ||
         activation.kind == Kind::leaky_relu || activation.kind == Kind::clip;
}

template <class Function>
HWY_INLINE void change_stored(const BlockCall& call, std::size_t pixels, const Function& f) {
  const F d;
  for (std::size_t m = 0; m < pixels; ++m) {
    float* out = call.output + static_cast<std::ptrdiff_t>(m) * call.output_step;
    const float* residual = call.residual + static_cast<std::ptrdiff_t>(m) * call.residual_step;
    for (std::size_t c = 0; c < call.width; c += lanes) {
      const std::size_t count = call.width - c;
      V v = load_first(d, out + c, count);
      const V r = call.residual ? load_first(d, residual + c, count) : hn::Zero(d);
      if (call.residual && !call.residual_after) v = hn::Add(v, r);
      v = f(v);
      if (call.residual && call.residual_after) v = hn::Add(v, r);
      store_first(d, v, out + c, count);
    }
  }
}

// The usual ones are compiled into the loop.
inline HWY_NOINLINE void activate_stored(const BlockCall& call, std::size_t pixels) {
  const F d;
  const Activation& activation = *call.activation;
  if (activation.kind == Activation::Kind::silu)
    change_stored(call, pixels, [&](V v) SHINGLE_INLINE { return silu(d, v); });
  else if (activation.kind == Activation::Kind::hard_swish)
    change_stored(call, pixels, [&](V v) SHINGLE_INLINE { return hard_swish(d, v); });
  else
    change_stored(call, pixels, [&](V v) SHINGLE_INLINE { return activate(d, v, activation); });
}

template <std::size_t M, std::size_t N>
HWY_INLINE void activate_block(F d, const Activation& activation, Block<M, N>& acc) {
  const auto each = [&](auto f) SHINGLE_INLINE {
    repeat<M>([&](auto m) SHINGLE_INLINE {
      repeat<N>([&](auto n) SHINGLE_INLINE { acc.at[m][n] = f(acc.at[m][n]); });
    });
  };
  if (activation.kind == Activation::Kind::relu) {
    const V zero = hn::Zero(d);
    each([&](V v) SHINGLE_INLINE { return hn::Max(v, zero); });
  } else if (activation.kind == Activation::Kind::leaky_relu) {
    const V slope = hn::Set(d, activation.alpha), zero = hn::Zero(d);
    each([&](V v) SHINGLE_INLINE { return hn::IfThenElse(hn::Lt(v, zero), hn::Mul(v, slope), v); });
  } else if (activation.kind == Activation::Kind::clip) {
    const V low = hn::Set(d, activation.alpha), high = hn::Set(d, activation.beta);
    each([&](V v) SHINGLE_INLINE { return hn::Min(hn::Max(v, low), high); });
  }
}

template <std::size_t M, std::size_t N>
HWY_INLINE void add_residual(F d, const BlockCall& call, Block<M, N>& acc) {
  const bool full = call.width == N * lanes;
  repeat<M>([&](auto m) SHINGLE_INLINE {
    const float* from = call.residual + static_cast<std::ptrdiff_t>(m) * call.residual_step;
    repeat<N>([&](auto n) SHINGLE_INLINE {
      if (HWY_LIKELY(full))
        acc.at[m][n] = hn::Add(acc.at[m][n], hn::LoadU(d, from + n * lanes));
      else if (call.width > n * lanes)
        acc.at[m][n] =
            hn::Add(acc.at[m][n], load_first(d, from + n * lanes, call.width - n * lanes));
    });
  });
}

// Residual and activation, applied in the registers that hold the sums. REQUIRES:
// is_light(*call.activation).
template <std::size_t M, std::size_t N>
HWY_INLINE void finish_block(F d, const BlockCall& call, Block<M, N>& acc) {
  if (call.residual && !call.residual_after) add_residual(d, call, acc);
  activate_block(d, *call.activation, acc);
  if (call.residual && call.residual_after) add_residual(d, call, acc);
}

template <std::size_t M, std::size_t N>
HWY_INLINE void store_block(F d, const BlockCall& call, const Block<M, N>& acc) {
  const bool full = call.width == N * lanes;
  repeat<M>([&](auto m) SHINGLE_INLINE {
    float* out = call.output + static_cast<std::ptrdiff_t>(m) * call.output_step;
    repeat<N>([&](auto n) SHINGLE_INLINE {
      if (HWY_LIKELY(full))
        hn::StoreU(acc.at[m][n], d, out + n * lanes);
      else if (call.width > n * lanes)
        store_first(d, acc.at[m][n], out + n * lanes, call.width - n * lanes);
    });
  });
}

template <std::size_t M, std::size_t N>
HWY_NOINLINE void compute_block(const BlockCall& call) {
  const F d;
  Block<M, N> acc;
  if (call.go_on)
    take_up(d, call.output, call.output_step, acc);
  else
    start(d, call.bias, acc);
  const float* weights = call.weights;
  for (std::size_t t = 0; t < call.tap_count; ++t) {
    if (HWY_LIKELY(call.taps[t] != nullptr))
      accumulate_tap(d, call.taps[t], call.step, call.depth, weights, acc);
    else
      weights += call.depth * N * lanes;
  }
  const bool light = call.activation && is_light(*call.activation);
  if (light) finish_block(d, call, acc);
  store_block(d, call, acc);
  if (call.activation && !light) activate_stored(call, M);
}

// Two rows of Pooled * 2 pixels each, max-pooled 2x2 to Pooled pixels, all in registers.
inline constexpr std::size_t pooled_pixels = block_pixels / 4;

template <std::size_t Pooled, std::size_t N>
HWY_NOINLINE void compute_pooled(const BlockCall& call) {
  constexpr std::size_t across = 2 * Pooled, group = across % 3 ? 2 : 3, groups = across / group;
  const F d;
  Block<2 * across, N> acc;
  start(d, call.bias, acc);
  const float* weights = call.weights;
  for (std::size_t t = 0; t < call.tap_count; ++t) {
    const float* p[2 * groups];
    repeat<groups>([&](auto g) SHINGLE_INLINE {
      const auto offset = static_cast<std::ptrdiff_t>(g * group) * call.step;
      p[g] = call.taps[t] + offset;
      p[groups + g] = call.taps_below[t] + offset;
    });
    accumulate<group>(d, p, call.step, call.depth, weights, acc);
  }
  Block<Pooled, N> most;
  repeat<Pooled>([&](auto i) SHINGLE_INLINE {
    repeat<N>([&](auto n) SHINGLE_INLINE {
      most.at[i][n] = hn::Max(hn::Max(acc.at[2 * i][n], acc.at[2 * i + 1][n]),
                              hn::Max(acc.at[across + 2 * i][n], acc.at[across + 2 * i + 1][n]));
    });
  });
  activate_block(d, *call.activation, most);
  store_block(d, call, most);
}

using BlockFunction = void (*)(const BlockCall&);

template <std::size_t... I>
constexpr auto block_table(std::index_sequence<I...>) {
  return std::array<BlockFunction, sizeof...(I)>{
      &compute_block<I / block_vectors + 1, I % block_vectors + 1>...};
}

// REQUIRES: 1 <= pixels <= block_pixels, 1 <= vectors <= block_vectors.
inline BlockFunction block_function(std::size_t pixels, std::size_t vectors) {
  static constexpr auto table =
      block_table(std::make_index_sequence<block_pixels * block_vectors>());
  return table[(pixels - 1) * block_vectors + vectors - 1];
}

template <std::size_t... I>
constexpr auto pooled_table(std::index_sequence<I...>) {
  return std::array<BlockFunction, sizeof...(I)>{
      &compute_pooled<I / block_vectors + 1, I % block_vectors + 1>...};
}

// REQUIRES: 1 <= pooled <= pooled_pixels, 1 <= vectors <= block_vectors.
inline BlockFunction pooled_function(std::size_t pooled, std::size_t vectors) {
  static constexpr auto table =
      pooled_table(std::make_index_sequence<pooled_pixels * block_vectors>());
  return table[(pooled - 1) * block_vectors + vectors - 1];
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
