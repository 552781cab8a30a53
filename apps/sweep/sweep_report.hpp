// The results of a sweep for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/sweep/result_store.hpp"

namespace shingle {

// The front and what matters most, for a terminal.
std::string report_text(const SweepHeader& header, const sim::SweepAnalysis& analysis);
nlohmann::ordered_json report_json(const SweepHeader& header, const sim::SweepAnalysis& analysis);

// A line for each design, under a line of names.
std::string report_csv(const SweepHeader& header, const sim::SweepAnalysis& analysis);
// A line of JSON for each design.
std::string report_lines(const SweepHeader& header, const sim::SweepAnalysis& analysis);

// One HTML page with plots. It loads nothing from elsewhere.
std::string sweep_page(const SweepHeader& header, const sim::SweepAnalysis& analysis);

// "12.3 +/- 0.4"; without an interval where there is one run.
std::string figure_text(const sim::Interval& interval);

}  // namespace shingle
