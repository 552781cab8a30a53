// Removes from a finished model what nothing uses.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Drops layers that no output depends on, then tensors and constants that no layer, input or output
// refers to. Renumbers the ids in the old order.
void prune(Model& model);

}  // namespace shingle
