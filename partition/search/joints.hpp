// Joints: the places where the parts of a flattened map meet on its long axis. A detector's heads
// are concatenated, and their parts are on the nodes that computed each head. If each part is cut
// by itself, the pieces stay on these nodes.
//
//     x    0                       6400        8000   8400
//          |      80x80 head       | 40x40 head | 20x20 |     joints {6400, 8000}
//          | n0  | n1  | n2  | n3  |n0|n1|n2|n3 |n0..n3 |
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// The axis along which a map is cut, if only one makes sense: the map is a row or a column, or so
// thin that cuts across would leave slivers.
std::optional<Axis> long_axis(Shape shape);

// By tensor: its joints along its long axis, ascending; none for other maps.
using Joints = std::vector<std::vector<int32_t>>;

Joints joints_of(const Model& model);

}  // namespace shingle
