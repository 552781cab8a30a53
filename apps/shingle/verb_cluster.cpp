// shingle cluster: what a cluster file says, checked; as a drawing for people or as JSON for the
// lab.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "devices/files/cluster_file.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {
namespace {

std::string kind_of(const ClusterNetwork& network) {
  return network_kinds()[static_cast<size_t>(network.kind)];
}

nlohmann::ordered_json node_json(const ClusterFileNode& node) {
  return {{"id", node.id.value},         {"name", node.name},
          {"address", node.address},     {"port", node.port},
          {"gflops", node.gflops},       {"cores", node.cores},
          {"link_mbps", node.link_mbps}, {"memory_bytes", node.memory_bytes},
          {"pace", node.pace},           {"cpus", node.cpus}};
}

std::string cluster_json(const ClusterFile& cluster) {
  nlohmann::ordered_json json{{"network",
                               {{"kind", kind_of(cluster.network)},
                                {"mbps", cluster.network.mbps},
                                {"delay_ms", cluster.network.delay_ms}}},
                              {"nodes", nlohmann::ordered_json::array()}};
  for (const ClusterFileNode& node : cluster.nodes) json["nodes"].push_back(node_json(node));
  return json.dump() + "\n";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string line(const ClusterFileNode& node, bool own_port) {
  char text[512];
  std::snprintf(
      text, sizeof text, "%5u  %-12s %s:%u  %s GFLOP/s%s%s%s\n", node.id.value, node.name.c_str(),
      node.address.c_str(), static_cast<unsigned>(node.port), number(node.gflops).c_str(),
      node.pace ? " (paced)" : "",
      own_port ? (", " + number(node.link_mbps) + " Mb/s").c_str() : "",
      node.memory_bytes > 0 ? (", memory " + memory_text(node.memory_bytes)).c_str() : "");
  return text;
}

std::string cluster_text(const ClusterFile& cluster) {
  const bool switched = cluster.network.kind == NetworkKind::switched;
  std::string text =
      std::to_string(cluster.nodes.size()) + " nodes, " +
      (switched ? "each with a port of its own"
                : "on one half-duplex medium of " + number(cluster.network.mbps) + " Mb/s") +
      ", " + number(cluster.network.delay_ms) + " ms apart\n";
  for (const ClusterFileNode& node : cluster.nodes) text += line(node, switched);
  return text;
}

}  // namespace

void describe(CLI::App& verb, ClusterOptions& options) {
  verb.add_option("FILE", options.file, "a cluster file (TOML)")->type_name("")->required();
  verb.add_flag("--json", options.json, "one JSON object on stdout, with all defaults");
  verb.footer("\nExample:\n  shingle cluster devices/clusters/pi3x6.toml");
}

int run_verb(const ClusterOptions& options) {
  const auto cluster = load_cluster(options.file);
  if (!cluster) return fail(cluster.failure());
  return print(options.json ? cluster_json(*cluster) : cluster_text(*cluster));
}

}  // namespace shingle
