#include "partition/simulation/cluster_network.hpp"

#include <algorithm>

namespace shingle {

double bytes_per_second(double mbps) { return 125'000.0 * (mbps > 1e-6 ? mbps : 1e-6); }

NetworkTopology network_of(const Cluster& cluster) {
  std::vector<HostLink> hosts;
  hosts.reserve(cluster.nodes.size() + 1);
  HostLink outside{.up_bytes_per_second = bytes_per_second(0.0)};
  outside.down_bytes_per_second = outside.up_bytes_per_second;
  for (const ClusterNode& node : cluster.nodes) {
    const double rate = bytes_per_second(node.link_mbps);
    const double nanoseconds = std::clamp(node.link_latency_us, 0.0, 1e9) * 1000.0;
    hosts.push_back({rate, rate, Duration(static_cast<int64_t>(nanoseconds))});
    if (rate > outside.up_bytes_per_second) outside = hosts.back();
  }
  hosts.push_back(outside);
  if (cluster.medium_mbps) return one_medium(bytes_per_second(*cluster.medium_mbps), hosts);
  return star(hosts);
}

}  // namespace shingle
