// How much memory the native executor holds, computed without packing anything. The planner uses
// this Footprint, and so does a node that is asked to hold a plan.
//
// A layer that XNNPACK computes counts with the size of its weights in the model.
#pragma once

#include "partition/cluster/footprint.hpp"

namespace shingle {

// For executors with so many threads that keep no weights transformed (NativeOptions): nodes with a
// memory cap keep none.
Footprint native_footprint(int threads = 1);

}  // namespace shingle
