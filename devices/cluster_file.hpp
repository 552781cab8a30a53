// ClusterFile: which nodes there are, as a TOML file that people write.
//
//   [[node]]
//   id = 1                    # unique, 0 to 65535
//   name = "kitchen"          # optional: "node1"
//   address = "127.0.0.1"     # optional
//   port = 7001               # 1 to 65535; address and port together are unique
//   gflops = 8.0              # optional: effective on convolutions, all cores together
//   cores = 4                 # optional
//   link_mbps = 1000.0        # optional: of its own port, each way
//   memory = "512 MiB"        # optional: bytes, or a number with KiB, MiB or GiB; 0: no cap
//
// Every other key is an error that names its line. One reader, one printer: parsing what was
// printed gives the same value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partition/planner.hpp"
#include "partition/result.hpp"

namespace shingle {

struct ClusterFileNode {
  NodeId id;
  std::string name;
  std::string address = "127.0.0.1";
  uint16_t port = 0;
  double gflops = 4.0;
  int32_t cores = 1;
  double link_mbps = 1000.0;
  int64_t memory_bytes = 0;  // 0: no cap
  friend bool operator==(const ClusterFileNode&, const ClusterFileNode&) = default;
};

struct ClusterFile {
  std::vector<ClusterFileNode> nodes;  // ascending ids; at least one
  friend bool operator==(const ClusterFile&, const ClusterFile&) = default;
};

struct MemoryUnit {
  std::string_view name;
  int64_t bytes;
};
inline constexpr MemoryUnit memory_units[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};

// `file_name` is only for the error: "cluster.toml:7: ...". The text may be hostile.
Result<ClusterFile> parse_cluster(std::string_view text, std::string_view file_name);
std::string print(const ClusterFile& file);

// Reads the file and parses it.
Result<ClusterFile> load_cluster(const std::string& path);

// What the planner needs to know of it.
Cluster planner_cluster(const ClusterFile& file);

}  // namespace shingle
