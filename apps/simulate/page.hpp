// The results of an experiment as one HTML page with plots. It loads nothing from elsewhere.
#pragma once

#include <string>

#include "apps/simulate/read_experiment.hpp"
#include "sim/experiment/summary.hpp"

namespace shingle {

inline constexpr size_t spans_on_page = 40'000;  // that the first run keeps

// `runs`: the first one has the spans of the timeline.
std::string page_of(const sim::Experiment& experiment, const Provenance& provenance,
                    const std::vector<sim::RunResult>& runs, const sim::Summary& summary);

}  // namespace shingle
