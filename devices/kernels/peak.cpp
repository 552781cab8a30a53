#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/kernels/peak.cpp"
#include "devices/kernels/targets.hpp"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "devices/kernels/block-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

// As many chains as the block has accumulators: more than a multiply-add takes cycles, twice.
inline constexpr std::size_t chains = block_pixels * block_vectors;

// Returns the FLOP done; `seed` is not known to the compiler, so it cannot do the sum itself.
HWY_NOINLINE double multiply_add(int rounds, float seed, float* sink) {
  const F d;
  const V factor = hn::Set(d, seed), term = hn::Set(d, 1.0F - seed);
  V sum[chains];
  repeat<chains>([&](auto i) SHINGLE_INLINE { sum[i] = hn::Set(d, static_cast<float>(i)); });
  for (int round = 0; round < rounds; ++round)
    repeat<chains>([&](auto i) SHINGLE_INLINE { sum[i] = hn::MulAdd(sum[i], factor, term); });
  V total = hn::Zero(d);
  repeat<chains>([&](auto i) SHINGLE_INLINE { total = hn::Add(total, sum[i]); });
  hn::StoreU(total, d, sink);
  return 2.0 * static_cast<double>(chains * lanes) * rounds;
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>
#include <chrono>

#include "devices/kernels/peak.hpp"

namespace shingle::kernels {
HWY_EXPORT(multiply_add);

double measured_peak() {
  std::array<float, 64> sink{};
  float seed = 0.5F;
  double best = 0;
  for (int round = 0; round < 8; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const double flop = HWY_DYNAMIC_DISPATCH(multiply_add)(100'000, seed, sink.data());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, flop / took.count());
    seed += sink[0] * 1e-30F;
  }
  return best;
}

}  // namespace shingle::kernels
#endif
