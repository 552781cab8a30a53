#include "sim/experiment/model_error.hpp"

#include <algorithm>

#include "devices/files/cluster_points.hpp"

namespace shingle::sim {

namespace {

// What was compared with real nodes so far (docs/develop/validation.md): paced nodes in the lab, on
// wires of that speed, with frames back to back.
constexpr size_t most_nodes = 6;
constexpr double slowest_mbps = 10.0, fastest_mbps = 100.0, fastest_gflops = 8.0;

struct Worst {
  double latency = 0.0, frames_per_second = 0.0;
};
constexpr Worst without_faults{0.082, 0.093}, with_faults{0.061, 0.068};

bool was_compared(const ExperimentFault& fault) {
  return fault.kind == FaultKind::crash || fault.kind == FaultKind::slow;
}

bool is_switched(const Experiment& experiment) {
  return experiment.file.cluster.network.kind == NetworkKind::switched;
}

double slowest_link(const ClusterFileNode& node) {
  return std::min(up_mbps_of(node), down_mbps_of(node));
}

}  // namespace

std::vector<KnownError> known_errors(const Experiment& experiment) {
  if (!is_switched(experiment) || !beyond_calibration(experiment).empty()) return {};
  const bool disturbed = !experiment.file.faults.empty();
  const std::string source =
      std::string("tools/bench sim --only ") + (disturbed ? "faults" : "lab") +
      ", docs/develop/validation.md: the worst of drawn clusters of up to six paced nodes";
  const Worst worst = disturbed ? with_faults : without_faults;
  return {{.quantity = "latency", .share = worst.latency, .source = source},
          {.quantity = "frames/s", .share = worst.frames_per_second, .source = source}};
}

std::vector<std::string> beyond_calibration(const Experiment& experiment) {
  std::vector<std::string> sentences;
  const ClusterFile& cluster = experiment.file.cluster;
  if (std::ranges::any_of(cluster.points, [](const NetworkPoint& point) {
        return point.kind != NetworkPoint::Kind::plain_switch;
      }))
    sentences.emplace_back(
        "Wi-Fi was never compared with real radios: its rates were measured with ns-3");
  if (!is_switched(experiment))
    sentences.emplace_back(
        "Wi-Fi was never compared with real radios: one shared medium stands for it");
  if (cluster.nodes.size() > most_nodes)
    sentences.push_back("more than " + std::to_string(most_nodes) +
                        " nodes were never compared with real ones");
  if (is_switched(experiment) && only_cell(cluster) == nullptr &&
      std::ranges::any_of(cluster.nodes, [](const ClusterFileNode& node) {
        return slowest_link(node) < slowest_mbps || slowest_link(node) > fastest_mbps;
      }))
    sentences.emplace_back(
        "links slower than 10 Mb/s or faster than 100 Mb/s were never compared "
        "with real ones");
  if (std::ranges::any_of(cluster.nodes, [](const ClusterFileNode& node) { return !node.pace; }))
    sentences.emplace_back(
        "tile times come from profiles: only paced nodes were compared with real ones");
  if (std::ranges::any_of(cluster.nodes,
                          [](const ClusterFileNode& node) { return node.gflops > fastest_gflops; }))
    sentences.emplace_back("nodes faster than 8 GFLOP/s were never compared with real ones");
  if (!std::ranges::all_of(experiment.file.faults, was_compared))
    sentences.emplace_back(
        "of faults only crashes and slow nodes were compared with those of real nodes");
  return sentences;
}

}  // namespace shingle::sim
