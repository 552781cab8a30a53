// The order of a model's layers.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Puts each layer that only moves elements (Rearrange, Concat) right before the first layer that
// reads its output: until then the moved elements would exist twice, or instead of what they come
// from, which other layers may read. All other layers keep their order. Ids of tensors stay.
void move_late(Model& model);

}  // namespace shingle
