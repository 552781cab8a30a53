// Summary: the runs of an experiment together, with 95 % confidence intervals over their seeds.
#pragma once

#include <array>
#include <optional>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/model_error.hpp"
#include "sim/experiment/results.hpp"
#include "sim/experiment/statistics.hpp"

namespace shingle::sim {

inline constexpr size_t fewest_for_p99 = 1000;  // frames

struct SourceSummary {
  size_t frames = 0;  // captured, of all runs together
  Interval p50_ms{}, frames_per_second{};
  std::optional<Interval> p99_ms{};         // none: a run has too few frames
  std::optional<double> p99_ms_together{};  // of all runs' frames; none: too few
  Interval dropped{}, late{}, lost{};       // shares of those captured
  std::array<Interval, causes> cause_ms{};  // by Cause, of the mean frame
  std::vector<double> latencies_ms{};       // of all runs, ascending
};

struct NodeSummary {
  NodeId node;
  Interval busy{};                              // share of the time of its slots
  Interval tiles_per_second{}, stolen_tiles{};  // stolen: share of its tiles
  Interval sent_bytes_per_second{}, received_bytes_per_second{};
  Interval peak_bytes{}, watts{};
};

struct LinkSummary {
  NodeId from, to;
  Interval bytes_per_second{}, busy{};  // busy: share of the time
};

struct WireSummary {
  std::string name;
  Interval bytes_per_second{}, busy{};
};

struct FlowSummary {
  NodeId from, to;
  int64_t bytes = 0;
  Interval seconds{};
  size_t unfinished = 0;  // runs
};

struct Summary {
  size_t runs = 0;
  Duration measured{};                   // of each run
  std::vector<std::string> drawn{};      // what differs between seeds; empty: nothing
  std::vector<SourceSummary> sources{};  // as in the experiment
  std::vector<NodeSummary> nodes{};
  std::vector<LinkSummary> links{};
  std::vector<WireSummary> wires{};
  std::vector<FlowSummary> flows{};
  Interval watts{}, switches{};
  std::optional<Interval> joules_per_frame{};
  std::vector<std::string> events{};    // of the first run
  std::vector<std::string> breaches{};  // of all runs
  std::vector<KnownError> errors{};
  std::vector<std::string> warnings{};
};

// REQUIRES: at least one run, all of this experiment.
Summary summary_of(const Experiment& experiment, const std::vector<RunResult>& runs);

}  // namespace shingle::sim
