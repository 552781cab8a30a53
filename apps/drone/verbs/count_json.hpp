// Counts as one JSON object, with everything that was counted.
#pragma once

#include <string>

#include "apps/drone/count/counts.hpp"

namespace shingle::drone {

std::string counts_json(const Counts& counts);  // with a newline

}  // namespace shingle::drone
