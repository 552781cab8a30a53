// Every other machine: the loops as the compiler's base instruction set has them (AArch64's holds
// its vectors).
#include "devices/plain/elementwise_loops.hpp"

namespace shingle {

void activate(const Activation& activation, const float* in, float* out, int64_t count) {
  elementwise_loops::activate(activation, in, out, count);
}

void combine(Binary::Kind kind, Operand a, Operand b, const CombinedPixels& out) {
  elementwise_loops::combine(kind, a, b, out);
}

void add_pixels(const PixelRun& pixels, int64_t channels, double* sums) {
  elementwise_loops::add_pixels(pixels, channels, sums);
}

double sum_of(const float* values, int64_t count) {
  return elementwise_loops::sum_of(values, count);
}

void softmax(const float* in, float* out, int64_t count) {
  elementwise_loops::softmax(in, out, count);
}

}  // namespace shingle
