// HardwareWatch: looks at wires and boards of a run at two moments, and says what they did between
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cluster.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/experiment_network.hpp"
#include "sim/experiment/results.hpp"

namespace shingle::sim {

class HardwareWatch {
 public:
  HardwareWatch(const ExperimentFile& file, Time begin, Time end);

  Time next_look() const { return looks_.empty() ? Time::max() : looks_.back(); }
  // REQUIRES: the cluster has run until next_look(), and no further.
  void look(const VirtualCluster& cluster);

  const ExperimentNetwork& network() const { return network_; }
  std::vector<WireUse> wires() const;
  // By node; none: it has no board. Joules are those between the looks.
  std::optional<BoardState> board(size_t node) const;
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  void look_at_boards(const VirtualCluster& cluster, Time at);
  void look_at_wires(const VirtualCluster& cluster);

  const std::vector<ClusterFileNode>& nodes_;
  const ExperimentNetwork network_;
  std::vector<Time> looks_;  // the next one last
  std::vector<ResourceLoad> loads_;
  std::vector<std::optional<BoardState>> boards_;
  std::vector<std::string> breaches_;
};

}  // namespace shingle::sim
