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
  if (!node.board.empty()) text << "\nboard = \"" << node.board << "\"";
  if (node.fan) text << "\nfan = true";
  if (node.up_mbps) text << "\nup_mbps = " << exact_decimal(*node.up_mbps);
  if (node.down_mbps) text << "\ndown_mbps = " << exact_decimal(*node.down_mbps);
  if (node.loss > 0.0) text << "\nloss = " << exact_decimal(node.loss);
  if (!node.rate_trace.empty()) text << "\nrate_trace = \"" << node.rate_trace << "\"";
  if (!node.at.empty()) text << "\nat = \"" << node.at << "\"";
  text << "\n";
}

void print(std::ostringstream& text, const NetworkPoint& point) {
  const bool is_cell = point.kind != NetworkPoint::Kind::plain_switch;
  text << (is_cell ? "\n[[cell]]\nname = \"" : "\n[[switch]]\nname = \"") << point.name << "\"\n";
  if (is_cell)
    text << "kind = \"" << (point.kind == NetworkPoint::Kind::ad_hoc ? "ad_hoc" : "access_point")
         << "\"\n";
  if (!point.mode.empty()) text << "mode = \"" << point.mode << "\"\n";
}

void print(std::ostringstream& text, const NetworkTrunk& trunk) {
  text << "\n[[trunk]]\nfrom = \"" << trunk.from << "\"\nto = \"" << trunk.to
       << "\"\nmbps = " << exact_decimal(trunk.mbps)
       << "\ndelay_ms = " << exact_decimal(trunk.delay_ms) << "\n";
}

}  // namespace

std::string print(const ClusterFile& file) {
  std::ostringstream text;
  print(text, file.network);
  for (const NetworkPoint& point : file.points) print(text, point);
  for (const NetworkTrunk& trunk : file.trunks) print(text, trunk);
  for (const ClusterFileNode& node : file.nodes) print(text, node, file.network.kind);
  return text.str();
}

}  // namespace shingle
