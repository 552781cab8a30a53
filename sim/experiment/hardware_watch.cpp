#include "sim/experiment/hardware_watch.hpp"

#include <cassert>
#include <cmath>

namespace shingle::sim {

HardwareWatch::HardwareWatch(const ExperimentFile& file, Time begin, Time end)
    : nodes_(file.cluster.nodes),
      network_(network_of(file, experiment_start)),
      looks_{end, begin} {}

void HardwareWatch::look(const VirtualCluster& cluster) {
  assert(!looks_.empty());
  look_at_boards(cluster, looks_.back());
  look_at_wires(cluster);
  looks_.pop_back();
}

void HardwareWatch::look_at_boards(const VirtualCluster& cluster, Time at) {
  std::vector<std::optional<BoardState>> before = std::move(boards_);
  boards_.clear();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    std::optional<BoardState> state = cluster.board_state(nodes_[i].id, at);
    constexpr double rounding = 1e-6;
    if (state && std::abs(state->joules - state->integral) > rounding * state->joules)
      breaches_.push_back("node " + std::to_string(nodes_[i].id.value) + " took " +
                          std::to_string(state->joules) + " J, and its power adds up to " +
                          std::to_string(state->integral) + " J");
    if (state && !before.empty()) state->joules -= before[i]->joules;
    boards_.push_back(state);
  }
}

void HardwareWatch::look_at_wires(const VirtualCluster& cluster) {
  const FluidNetwork* network = cluster.network().fluid();
  if (network == nullptr) return;
  std::vector<ResourceLoad> before = std::move(loads_);
  loads_.clear();
  for (uint32_t i = 0; i < network_.names.size(); ++i) {
    loads_.push_back(network->load(i));
    if (before.empty()) continue;
    loads_.back().bytes -= before[i].bytes;
    loads_.back().busy -= before[i].busy;
  }
}

std::vector<WireUse> HardwareWatch::wires() const {
  std::vector<WireUse> wires;
  for (size_t i = 0; i < loads_.size(); ++i)
    wires.push_back({network_.names[i], loads_[i].bytes, loads_[i].busy});
  return wires;
}

std::optional<BoardState> HardwareWatch::board(size_t node) const {
  return node < boards_.size() ? boards_[node] : std::nullopt;
}

}  // namespace shingle::sim
