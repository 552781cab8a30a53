#include <sstream>

#include "devices/cluster_file.hpp"
#include "devices/toml_text.hpp"

namespace shingle {

namespace {

void print(std::ostringstream& text, const ClusterNetwork& network) {
  text << "[network]\nkind = \"" << network_kinds()[static_cast<size_t>(network.kind)]
       << "\"\nmbps = " << exact_decimal(network.mbps)
       << "\ndelay_ms = " << exact_decimal(network.delay_ms) << "\n";
}

void print(std::ostringstream& text, const ClusterFileNode& node, NetworkKind kind) {
  text << "\n[[node]]\nid = " << node.id.value << "\nname = \"" << node.name << "\"\naddress = \""
       << node.address << "\"\nport = " << node.port;
  if (!node.profile.empty()) text << "\nprofile = \"" << node.profile << "\"";
  text << "\ngflops = " << exact_decimal(node.gflops) << "\ncores = " << node.cores;
  if (kind == NetworkKind::switched) text << "\nlink_mbps = " << exact_decimal(node.link_mbps);
  text << "\nmemory = " << memory_text(node.memory_bytes)
       << "\npace = " << (node.pace ? "true" : "false");
  if (node.cpus > 0.0) text << "\ncpus = " << exact_decimal(node.cpus);
  text << "\n";
}

}  // namespace

std::string print(const ClusterFile& file) {
  std::ostringstream text;
  print(text, file.network);
  for (const ClusterFileNode& node : file.nodes) print(text, node, file.network.kind);
  return text.str();
}

NodeProfile costs_of(const ClusterFileNode& node) {
  if (node.pace) return paced_profile(node.gflops);
  if (!node.device) return profile_of(node.gflops);
  const NodeProfile costs = costs_on(*node.device, node.cores);
  return slowed(costs, gflops_of(costs) / node.gflops);
}

Cluster planner_cluster(const ClusterFile& file) {
  Cluster cluster;
  if (file.network.kind == NetworkKind::shared) {
    cluster.medium_mbps = file.network.mbps * medium_goodput_share;
  }
  for (const ClusterFileNode& node : file.nodes) {
    ClusterNode planned{.id = node.id,
                        .gflops = node.gflops,
                        .link_mbps = node.link_mbps * goodput_share,
                        .memory_bytes = node.memory_bytes};
    planned.link_latency_us += file.network.delay_ms * 1000.0;
    planned.profile = costs_of(node);
    cluster.nodes.push_back(std::move(planned));
  }
  return cluster;
}

}  // namespace shingle
