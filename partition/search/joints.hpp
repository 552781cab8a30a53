// Joints: where the long axis of a flattened map is joined of several. A detector's heads are laid
// end to end, and their parts lie on the nodes that computed each head; a cut of the whole that
// minds the joints leaves them there.
//
//     x    0                       6400        8000   8400
//          |      80x80 head       | 40x40 head | 20x20 |     joints {6400, 8000}
//          | n0  | n1  | n2  | n3  |n0|n1|n2|n3 |n0..n3 |
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// The axis along which a map is cut, if only one makes sense: it is a row or a column, or so thin
// that its parts across would be slivers.
std::optional<Axis> long_axis(Shape shape);

// By tensor, ascending, along its long axis; none for other maps.
using Joints = std::vector<std::vector<int32_t>>;

Joints joints_of(const Model& model);

}  // namespace shingle
