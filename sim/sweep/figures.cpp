#include "sim/sweep/figures.hpp"

#include <algorithm>
#include <numeric>

#include "sim/experiment/statistics.hpp"

namespace shingle::sim {

namespace {

double seconds(Duration time) { return 1e-9 * in_nanoseconds(time); }

std::optional<double> median_ms(const RunResult& run) {
  std::vector<double> latencies;
  for (const FrameOutcome& frame : run.frames)
    if (frame.fate == Fate::delivered) latencies.push_back(1e3 * seconds(frame.latency));
  if (latencies.empty()) return std::nullopt;
  std::ranges::sort(latencies);
  return quantile(latencies, 0.5);
}

double delivered(const RunResult& run) {
  return static_cast<double>(
      std::accumulate(run.delivered.begin(), run.delivered.end(), size_t{0}));
}

double idle_watts(const ClusterFileNode& node) {
  if (node.spec) return node.spec->power.idle_watts;
  return costs_of(node).idle_watts;
}

double joules(const Experiment& experiment, const RunResult& run, bool with_idle) {
  double sum = 0.0;
  for (const NodeUse& use : run.nodes) sum += use.joules;
  for (const ClusterFileNode& node : experiment.file.cluster.nodes)
    if (!with_idle) sum -= idle_watts(node) * seconds(run.measured);
  return sum;
}

std::optional<double> joules_per_frame(const Experiment& experiment, const RunResult& run,
                                       bool with_idle) {
  if (run.frame_energy) return run.frame_energy->active + (with_idle ? run.frame_energy->idle : 0);
  if (delivered(run) < 1.0) return std::nullopt;
  return joules(experiment, run, with_idle) / delivered(run);
}

std::optional<double> watts(const Experiment& experiment, const RunResult& run) {
  if (!run.frame_energy) return joules(experiment, run, true) / seconds(run.measured);
  double idle = 0.0;
  for (const ClusterFileNode& node : experiment.file.cluster.nodes) idle += idle_watts(node);
  return idle + run.frame_energy->active * delivered(run) / seconds(run.measured);
}

double lost_share(const RunResult& run) {
  const auto lost = std::ranges::count_if(run.frames, [](const FrameOutcome& frame) {
    return frame.fate == Fate::dropped || frame.fate == Fate::late || frame.fate == Fate::lost;
  });
  return run.frames.empty() ? 0.0
                            : static_cast<double>(lost) / static_cast<double>(run.frames.size());
}

std::optional<double> most_memory(const RunResult& run) {
  if (run.nodes.empty()) return std::nullopt;
  return static_cast<double>(std::ranges::max(run.nodes, {}, &NodeUse::peak_bytes).peak_bytes);
}

}  // namespace

std::optional<double> figure_of(Objective objective, const Experiment& experiment,
                                const RunResult& run) {
  const auto& nodes = experiment.file.cluster.nodes;
  switch (objective) {
    case Objective::latency:
      return median_ms(run);
    case Objective::energy:
      return joules_per_frame(experiment, run, true);
    case Objective::active_energy:
      return joules_per_frame(experiment, run, false);
    case Objective::frames_per_second:
      return delivered(run) / seconds(run.measured);
    case Objective::lost:
      return lost_share(run);
    case Objective::watts:
      return watts(experiment, run);
    case Objective::memory:
      return most_memory(run);
    case Objective::nodes:
      return static_cast<double>(nodes.size());
    case Objective::cores:
      return std::accumulate(
          nodes.begin(), nodes.end(), 0.0,
          [](double sum, const ClusterFileNode& node) { return sum + node.cores; });
  }
  return std::nullopt;
}

const char* unit_of(Objective objective) {
  switch (objective) {
    case Objective::latency:
      return "ms";
    case Objective::energy:
    case Objective::active_energy:
      return "J/frame";
    case Objective::frames_per_second:
      return "/s";
    case Objective::watts:
      return "W";
    case Objective::memory:
      return "B";
    case Objective::lost:
    case Objective::nodes:
    case Objective::cores:
      break;
  }
  return "";
}

}  // namespace shingle::sim
