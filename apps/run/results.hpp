// Results of a run, for programs and for people: a line per frame, and who did what at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/client/tally.hpp"
#include "apps/findings/frame_result.hpp"

namespace shingle {

struct AuditSummary {
  uint64_t tiles = 0, different = 0;  // compared; of these
  std::vector<NodeId> distrusted;
};
// Of a model that computed every n-th frame beside the main one.
struct FurtherSummary {
  std::string name;
  uint64_t every = 1;
  uint64_t frames = 0, late = 0;         // its own; of these
  uint64_t compared = 0, identical = 0;  // with what one machine computes; of these
  bool verified = false;                 // its frames were to be compared
  uint64_t switches = 0;                 // of plans
  std::vector<uint64_t> tiles_per_node;
  uint64_t not_compared() const { return verified ? frames - late - compared : 0; }
};
struct SummaryFigure {  // that a sink adds
  std::string key;      // in JSON
  uint64_t value = 0;
  std::string line;  // for people, with its newline; may be empty
};
// Of a live source's frames: from when they came to their results.
struct Latency {
  double median_ms = 0.0, p95_ms = 0.0;
};
std::optional<Latency> latency_of(std::vector<double> milliseconds);  // none without any
// Of pictures that were computed as slices.
struct SliceSummary {
  uint64_t computed = 0, of_full_cover = 0;
  double share() const {
    return of_full_cover == 0 ? 0.0
                              : static_cast<double>(computed) / static_cast<double>(of_full_cover);
  }
};
// What was left out because pictures came faster than they were computed.
struct ShedSummary {
  uint64_t slices = 0, masks = 0, pictures = 0;
  size_t highest_level = 0;
};
struct Summary {
  uint64_t frames = 0, dropped = 0;
  uint64_t compared = 0, identical = 0;      // with what one machine computes; of these
  std::optional<double> deadline_seconds{};  // of each frame; none: as long as it takes
  uint64_t late = 0;                         // frames that missed it
  bool verified = false;                     // its frames were to be compared
  double seconds = 0.0;
  int64_t wire_bytes_per_frame = 0;
  uint64_t switches = 0;               // of plans, as nodes' speeds changed
  std::optional<AuditSummary> audits;  // if there were to be any
  std::vector<std::string> left_out;   // images of a folder that could not be read
  std::vector<FurtherSummary> further{};
  std::vector<SummaryFigure> figures{};
  std::optional<Latency> latency{};  // of a live source
  std::optional<SliceSummary> slices{};
  std::optional<ShedSummary> shed{};  // if something was to be left out where need be
  std::string out;                    // where annotated media was written; empty: nowhere
  uint64_t in_time() const { return frames - late; }
  double frames_per_second() const {
    return seconds > 0.0 ? static_cast<double>(in_time()) / seconds : 0.0;
  }
  uint64_t not_compared() const { return verified ? in_time() - compared : 0; }
  bool all_identical() const { return identical == compared; }
  uint64_t different() const {  // frames of all models
    uint64_t all = compared - identical;
    for (const FurtherSummary& each : further) all += each.compared - each.identical;
    return all;
  }
  // The first model of which no frame was in time, by its name; the main one's is empty. None: each
  // has one in time, or no late one.
  std::optional<std::string> always_late() const;
};
// A line for each node, then one for the run ("identical" is null when nothing was compared):
// {"nodes":4,"frames":9,"identical":true,"fps":8.1,"tiles_per_node":[9,9,9,9],"thefts":0,
//  "wire_bytes_per_frame":1234,"new_plans":0}, with a deadline also "late":0, with audits
//  "audited":18,"different":0,"distrusted":[], with unreadable images "left_out":["b.png"],
//  where an error left frames that could not be compared any more "not_compared":3, with further
//  models "models":{"NAME":{"every":3,"frames":3,"identical":true,"tiles_per_node":[..],
//  "new_plans":0}}, each with "late" and "not_compared" of its own where the run has them, of a
//  live source "latency_ms":{"median":81.2,"p95":120.4}, of pictures computed as slices
//  "slices":{"computed":310,"full_cover":1200,"share":0.2583}, if something may be left out
//  "shed":{"slices":12,"masks":3,"pictures":7,"level":6}.
std::string summary_json(const Summary& summary, const Tally& tally);
std::string summary_text(const Summary& summary, const Tally& tally);

}  // namespace shingle
