// Takes away what a finished model holds for nobody.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Drops layers that no output depends on, then tensors and constants that no layer, input or output
// names; ids are given anew, in the old order.
void prune(Model& model);

}  // namespace shingle
