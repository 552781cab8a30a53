// Geometry of Rearrange: which input elements an output region reads.
#pragma once

#include "partition/model/operator.hpp"

namespace shingle {

// The hull of exactly those input elements that move into `output`. REQUIRES: a Rearrange that
// infer_shape() accepts; `output` is not empty and within its output.
Region rearrange_demand(const Rearrange& op, const Region& output);

// True if neighbours in the output are neighbours in the input: the leading digit of each spatial
// input axis must also lead a spatial output axis. A lower digit would wrap round within any
// window; a channel digit would run from end to end.
bool keeps_neighbours(const Rearrange& op);

}  // namespace shingle
