// What the native executor on our own kernels holds, without computing or packing anything: the
// planner's Footprint, and what Session tells a node that is asked to hold a plan.
//
// Layers that XNNPACK computes count the weights that they have in the model.
#pragma once

#include "partition/cluster/footprint.hpp"

namespace shingle {

// For executors of so many threads that keep no weights transformed (NativeOptions), as nodes under
// a cap do not.
Footprint native_footprint(int threads = 1);

}  // namespace shingle
