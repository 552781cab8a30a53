// Writes the traces of several nodes as one, on the clock of the first.
#pragma once

#include <string>
#include <vector>

#include "apps/trace/clock_alignment.hpp"

namespace shingle {

struct MergedTraces {
  std::string text;                  // a trace: its events in the order of their times
  std::vector<NodeClockFit> clocks;  // in the order of the files
};

// An error names the file that cannot be merged. REQUIRES: at least one path.
Result<MergedTraces> merge_traces(const std::vector<std::string>& paths);

// For people: one line for each clock.
std::string clocks_text(const std::vector<NodeClockFit>& clocks);

}  // namespace shingle
