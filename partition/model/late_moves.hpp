// The order of a model's layers.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Puts each layer that only moves elements (Rearrange, Concat) right before the first layer that
// reads its output. Moved earlier, the elements would exist twice if their source has other
// readers. A move without readers (an output) and all other layers keep their order. Ids of tensors
// stay.
void move_late(Model& model);

}  // namespace shingle
