#include <array>
#include <charconv>
#include <sstream>

#include "devices/cluster_file.hpp"

namespace shingle {

namespace {

// The shortest text that reads back as the same number.
std::string exact(double value) {
  std::array<char, 32> buffer{};
  const auto [end, problem] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string memory_text(int64_t bytes) {
  for (const MemoryUnit& unit : memory_units) {
    if (bytes > 0 && bytes % unit.bytes == 0) {
      std::string text = "\"";
      return text.append(std::to_string(bytes / unit.bytes))
          .append(" ")
          .append(unit.name)
          .append("\"");
    }
  }
  return std::to_string(bytes);
}

}  // namespace

std::string print(const ClusterFile& file) {
  std::ostringstream text;
  for (const ClusterFileNode& node : file.nodes) {
    if (&node != file.nodes.data()) text << "\n";
    text << "[[node]]\nid = " << node.id.value << "\nname = \"" << node.name << "\"\naddress = \""
         << node.address << "\"\nport = " << node.port << "\ngflops = " << exact(node.gflops)
         << "\ncores = " << node.cores << "\nlink_mbps = " << exact(node.link_mbps)
         << "\nmemory = " << memory_text(node.memory_bytes) << "\n";
  }
  return text.str();
}

Cluster planner_cluster(const ClusterFile& file) {
  Cluster cluster;
  for (const ClusterFileNode& node : file.nodes) {
    cluster.nodes.push_back({.id = node.id,
                             .gflops = node.gflops,
                             .link_mbps = node.link_mbps,
                             .memory_bytes = node.memory_bytes});
  }
  return cluster;
}

}  // namespace shingle
