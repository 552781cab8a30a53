// The peak speed of one core of this machine in vector multiply-adds.
#pragma once

namespace shingle::kernels {

// FLOP/s of one thread in a loop of independent multiply-adds on registers: the best of several
// runs, a few milliseconds in all.
double measured_peak();

}  // namespace shingle::kernels
