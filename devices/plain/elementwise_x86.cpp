// x86-64: the loops once for every machine, once for those with AVX2 (1.9 times as fast on the
// activations built on exp, 4,096 values on a Xeon with AVX-512) and once for those with AVX-512
// (another 1.6 times). CMake takes this file on x86-64 only.
#include "devices/plain/elementwise_loops.hpp"

namespace shingle {

namespace {

[[gnu::target("avx2,fma")]] void activate_avx2(const Activation& activation, const float* in,
                                               float* out, int64_t count) {
  elementwise_loops::activate(activation, in, out, count);
}

[[gnu::target("avx2,fma")]] void combine_avx2(Binary::Kind kind, Operand a, Operand b,
                                              const CombinedPixels& out) {
  elementwise_loops::combine(kind, a, b, out);
}

[[gnu::target("avx2,fma")]] void add_pixels_avx2(const PixelRun& pixels, int64_t channels,
                                                 double* sums) {
  elementwise_loops::add_pixels(pixels, channels, sums);
}

[[gnu::target("avx2,fma")]] double sum_avx2(const float* values, int64_t count) {
  return elementwise_loops::sum_of(values, count);
}

[[gnu::target("avx2,fma")]] void softmax_avx2(const float* in, float* out, int64_t count) {
  elementwise_loops::softmax(in, out, count);
}

#define SHINGLE_AVX512 gnu::target("fma,avx512f,avx512dq,avx512bw,avx512vl")

[[SHINGLE_AVX512]] void activate_avx512(const Activation& activation, const float* in, float* out,
                                        int64_t count) {
  elementwise_loops::activate(activation, in, out, count);
}

[[SHINGLE_AVX512]] void combine_avx512(Binary::Kind kind, Operand a, Operand b,
                                       const CombinedPixels& out) {
  elementwise_loops::combine(kind, a, b, out);
}

[[SHINGLE_AVX512]] void add_pixels_avx512(const PixelRun& pixels, int64_t channels, double* sums) {
  elementwise_loops::add_pixels(pixels, channels, sums);
}

[[SHINGLE_AVX512]] double sum_avx512(const float* values, int64_t count) {
  return elementwise_loops::sum_of(values, count);
}

[[SHINGLE_AVX512]] void softmax_avx512(const float* in, float* out, int64_t count) {
  elementwise_loops::softmax(in, out, count);
}

struct Loops {
  decltype(&activate_avx2) activate;
  decltype(&combine_avx2) combine;
  decltype(&add_pixels_avx2) add_pixels;
  decltype(&sum_avx2) sum;
  decltype(&softmax_avx2) softmax;
};

const Loops& fastest() {
  static const Loops loops = [] {
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
      return Loops{activate_avx512, combine_avx512, add_pixels_avx512, sum_avx512, softmax_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return Loops{activate_avx2, combine_avx2, add_pixels_avx2, sum_avx2, softmax_avx2};
    return Loops{elementwise_loops::activate, elementwise_loops::combine,
                 elementwise_loops::add_pixels, elementwise_loops::sum_of,
                 elementwise_loops::softmax};
  }();
  return loops;
}

}  // namespace

void activate(const Activation& activation, const float* in, float* out, int64_t count) {
  fastest().activate(activation, in, out, count);
}

void combine(Binary::Kind kind, Operand a, Operand b, const CombinedPixels& out) {
  fastest().combine(kind, a, b, out);
}

void add_pixels(const PixelRun& pixels, int64_t channels, double* sums) {
  fastest().add_pixels(pixels, channels, sums);
}

double sum_of(const float* values, int64_t count) { return fastest().sum(values, count); }

void softmax(const float* in, float* out, int64_t count) { fastest().softmax(in, out, count); }

}  // namespace shingle
