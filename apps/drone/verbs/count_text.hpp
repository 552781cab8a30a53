// Counts as tables: for people, and as CSV.
#pragma once

#include <string>
#include <vector>

#include "apps/drone/count/counts.hpp"

namespace shingle::drone {

std::string counts_text(const Counts& counts);

// Lines "kind,place,direction,class,minutes,begin_seconds,vehicles". Of kind line and zone there is
// a line for each bin of 1, 5 and 15 minutes that has vehicles; of kind turn, place is the first
// gate and direction the last one, without minutes.
std::string counts_csv(const Counts& counts);

// What the reports share.
const char* kind_name(IncidentKind kind);
// Headways or gaps at a line, where they are known.
std::vector<double> times_at(const Counts& counts, size_t line, Direction direction,
                             std::optional<double> Crossing::*time);
struct EntryTimes {  // headways of the conflicting stream, and of who entered in one
  std::vector<double> used{}, unused{}, follow_ups{};
};
EntryTimes entry_times(const Counts& counts, size_t entry);
std::vector<double> dwell_times_of(const Counts& counts, size_t zone);
// Vehicles from each gate (row) to each gate (column).
std::vector<std::vector<size_t>> turning_matrix(const Counts& counts);

}  // namespace shingle::drone
