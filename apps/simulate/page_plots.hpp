// The plots of a page: each is an <svg>, or empty where there is nothing to draw.
#pragma once

#include <string>

#include "sim/experiment/summary.hpp"

namespace shingle {

// What nodes and links did in the first moments after the warm-up, coloured by frame.
std::string timeline_plot(const sim::Experiment& experiment, const sim::RunResult& run,
                          const sim::Summary& summary);
// The latency of each frame of a run by its capture, and when faults happened.
std::string frames_plot(const sim::Experiment& experiment, const sim::RunResult& run);
std::string latency_plot(const sim::SourceSummary& source, size_t index);
std::string causes_plot(const sim::Summary& summary);
std::string power_plot(const sim::Experiment& experiment, const sim::Summary& summary);
std::string links_plot(const sim::Summary& summary);

// The colour of each cause, and what it means in a few words.
const char* colour_of(sim::Cause cause);
const char* meaning_of(sim::Cause cause);

}  // namespace shingle
