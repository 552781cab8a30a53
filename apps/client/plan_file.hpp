// Reads plans from a file that 'shingle plan --out' wrote, or from a compiled file of 'shingle
// compile'.
#pragma once

#include <string>
#include <vector>

#include "partition/plan/rotation.hpp"

namespace shingle {

// The plans in the file. They may only use the nodes in `members`; if that is empty, any. The
// sentence names the file and says what does not fit.
Result<Rotation> read_plan_file(const std::string& path, const Model& model,
                                const std::vector<NodeId>& members = {});

// The sizes of the model's inputs that the plans in the file say. Empty if they say none, because
// the model's file has fixed sizes, or if the file holds no plan.
InputShapes shapes_in_plan_file(const std::string& path);

}  // namespace shingle
