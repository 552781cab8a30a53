// All frames of simulated runs as text, for other programs.
#pragma once

#include <string>
#include <vector>

#include "sim/experiment/results.hpp"

namespace shingle {

// A header, then a line for each frame that was captured behind the warm-up, by run and capture:
// "1,1,2043.750000,181.204113,delivered". Times in milliseconds; captured: since the start of the
// experiment. The latency is empty where a frame has none.
std::string frames_csv(const std::vector<sim::RunResult>& runs);

}  // namespace shingle
