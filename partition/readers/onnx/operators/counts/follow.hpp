// Sizes that depend on the input. A value is as large as it can get at most, and Box::counts says
// how much of it means something:
//
//   NonMaxSuppression   300x3, counted along dim 0: n, a tensor (0 to 300)
//   Gather, Add, ...    carry the count; a reduction along it gets neutral elements behind n
//   Shape               the list n, 3: Box::amounts
//   Slice, Pad, Expand  to a size of such a list: as large as its highest value, counted by it
//
// Operators know nothing of this. followed() stands round the translation of each node: it replaces
// what they read (by lists of the highest sizes, or by values with other elements behind the
// count), and notes the counts of what they made. Nodes that read no such value are translated as
// they are. An operator that could see what stands behind a count is refused.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

using Translation = void (*)(Node&);

void followed(Node& node, Translation translate);

}  // namespace shingle::onnx
