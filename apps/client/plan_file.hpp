// Plans that were written to a file: 'shingle plan --out' made it, or 'shingle compile' put it into
// the model's.
#pragma once

#include <string>
#include <vector>

#include "partition/plan/rotation.hpp"

namespace shingle {

// What is in the file of that name, a compiled one or one of text, for `members`: those of the
// plans where that is empty. The sentence names the file and what does not fit.
Result<Rotation> read_plan_file(const std::string& path, const Model& model,
                                const std::vector<NodeId>& members = {});

// Of what size the plans in that file take their model: empty where its own file says it, or there
// is no plan in that one.
InputShapes shapes_in_plan_file(const std::string& path);

}  // namespace shingle
