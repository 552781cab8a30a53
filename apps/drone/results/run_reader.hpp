// Reads a run folder, also of a run that goes on or was cut off.
#pragma once

#include <string>
#include <vector>

#include "apps/drone/count/sighting.hpp"
#include "apps/drone/results/run_info.hpp"

namespace shingle::drone {

struct Run {
  RunInfo info{};
  std::vector<Sighting> sightings{};  // by frame
  std::vector<std::string> notes{};   // sentences: what was cut off, what was left out
};

// Reads run.json and frames.csv; tracks.csv and events.csv follow from these.
Result<Run> read_run(const std::string& folder);

}  // namespace shingle::drone
