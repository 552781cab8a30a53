// The most multiply-adds that one core of this machine does with vectors.
#pragma once

namespace shingle::kernels {

// FLOP/s of one thread in a loop of independent multiply-adds on registers, best of a few
// milliseconds.
double measured_peak();

}  // namespace shingle::kernels
