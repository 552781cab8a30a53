#include <sstream>

#include "devices/files/cluster_file.hpp"
#include "devices/files/toml_text.hpp"

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

}  // namespace shingle
