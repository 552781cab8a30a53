// How far the simulation itself is known to be from the truth, and where nobody knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/experiment.hpp"

namespace shingle::sim {

// Measured, as a share of the true value, worst case of the bench that is named.
struct KnownError {
  std::string quantity;  // "latency", "frames/s"
  double share = 0.0;
  std::string source;  // the command that measured it, and where its result stands
};

// Errors for clusters like this one. Empty: nobody has compared such a cluster with a real one.
std::vector<KnownError> known_errors(const Experiment& experiment);

// What of the experiment lies outside of what was compared; one sentence each.
std::vector<std::string> beyond_calibration(const Experiment& experiment);

}  // namespace shingle::sim
