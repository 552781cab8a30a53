// The turning matrix, and how a minor stream uses the gaps of a major one.
#pragma once

#include <span>
#include <string>

#include "apps/drone/count/crossings.hpp"
#include "apps/drone/count/visits.hpp"

namespace shingle::drone {

// A track's way through the site: from the first gate that it passes to the last one. A gate is a
// line that it crosses or a zone that it visits. A track that passes one gate, once, has no turn.
struct Turn {
  int64_t track = 0;
  int class_id = -1;
  size_t from = 0, to = 0;  // indices in gates_of(site)
  double from_seconds = 0.0, to_seconds = 0.0;
};

// By track.
std::vector<Turn> turns_of(std::span<const Crossing> crossings, std::span<const Visit> visits,
                           const Site& site);

// Highway Capacity Manual, 7th edition (2022), chapter 20. A headway of the conflicting stream, and
// who entered from the minor stream within it.
struct ConflictHeadway {
  size_t entry = 0;  // index in Site::entries
  double begin_seconds = 0.0, end_seconds = 0.0;
  std::vector<double> entered_seconds{};
  // Follow-up headways: times between successive entries into this one headway. An entry that comes
  // later than follow_up_seconds after the one before did not stand in the same queue.
  std::vector<double> follow_up_seconds{};
};

// By entry and time.
std::vector<ConflictHeadway> conflict_headways(std::span<const Crossing> crossings,
                                               const Site& site);

}  // namespace shingle::drone
