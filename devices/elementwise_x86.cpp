// x86-64: the loops once for every machine and once for those with AVX2 (three times faster on the
// activations built on exp). CMake takes this file on x86-64 only.
#include "devices/elementwise_loops.hpp"

namespace shingle {

namespace {

[[gnu::target("avx2")]] void activate_avx2(const Activation& activation, const float* in,
                                           float* out, int64_t count) {
  elementwise_loops::activate(activation, in, out, count);
}

[[gnu::target("avx2")]] void combine_avx2(Binary::Kind kind, Operand a, Operand b, float* out,
                                          int64_t count) {
  elementwise_loops::combine(kind, a, b, out, count);
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}

}  // namespace

void activate(const Activation& activation, const float* in, float* out, int64_t count) {
  if (has_avx2()) return activate_avx2(activation, in, out, count);
  elementwise_loops::activate(activation, in, out, count);
}

void combine(Binary::Kind kind, Operand a, Operand b, float* out, int64_t count) {
  if (has_avx2()) return combine_avx2(kind, a, b, out, count);
  elementwise_loops::combine(kind, a, b, out, count);
}

}  // namespace shingle
