// Geometry of Rearrange: where moved elements come from.
#pragma once

#include "partition/model/operator.hpp"

namespace shingle {

// Exactly the hull of the input elements that land in `output`.
// REQUIRES: a Rearrange that infer_shape() takes, `output` not empty and within its output.
Region rearrange_demand(const Rearrange& op, const Region& output);

// Neighbours in the output are neighbours in the input if each spatial input axis is led by the
// digit that leads a spatial output axis: a lower digit would wrap round within any window, a
// channel digit runs from end to end.
bool keeps_neighbours(const Rearrange& op);

}  // namespace shingle
