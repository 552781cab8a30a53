// Every other machine: the loops as the compiler's base instruction set has them (AArch64's holds
// its vectors).
#include "devices/plain/elementwise_loops.hpp"

namespace shingle {

void activate(const Activation& activation, const float* in, float* out, int64_t count) {
  elementwise_loops::activate(activation, in, out, count);
}

void combine(Binary::Kind kind, Operand a, Operand b, float* out, int64_t count) {
  elementwise_loops::combine(kind, a, b, out, count);
}

}  // namespace shingle
