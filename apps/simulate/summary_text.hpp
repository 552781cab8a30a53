// The results of an experiment for people, as text.
#pragma once

#include <string>

#include "apps/simulate/read_experiment.hpp"
#include "sim/experiment/summary.hpp"

namespace shingle {

std::string summary_text(const sim::Experiment& experiment, const sim::Summary& summary);
// What it came from: version, seeds, hashes.
std::string origin_text(const Provenance& provenance, const std::vector<sim::RunResult>& runs);
// One line for a run that has just ended.
std::string run_line(const sim::Experiment& experiment, const sim::RunResult& run);

// "0.4 s", "812 ms", "12.3 MB": short, for tables and plots.
std::string short_seconds(double seconds);
std::string short_bytes(double bytes);
// "12.3 +/- 0.4" in the unit of `text`, or "12.3" where nothing is drawn.
std::string with_interval(const sim::Interval& interval, double factor, int digits, bool drawn);

}  // namespace shingle
