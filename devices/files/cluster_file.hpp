// ClusterFile: which nodes there are and what joins them, as a TOML file that people write. The
// same file serves the program, the planner, the lab (docs/develop/lab.md) and the simulator.
//
//   [network]                 # optional
//   kind = "switched"         # each node a port of its own, full duplex; or "shared": one medium,
//                             # one sender at a time (Wi-Fi, a hub)
//   mbps = 100.0              # of every port without a link_mbps; of the medium (needed there)
//   delay_ms = 0.0            # optional: one way, besides the time that the bytes take
//
//   [[node]]
//   id = 1                    # unique, 0 to 65535
//   name = "kitchen"          # optional: "node1"
//   address = "127.0.0.1"     # optional; nodes of one address are processes of one machine
//   port = 7001               # 1 to 65535; address and port together are unique
//   profile = "pi3b"          # optional: ready-made, or a file of `shingle profile` beside this
//   one gflops = 8.0              # optional: effective on convolutions, all cores together;
//   without
//                             # it, the profile's
//   cores = 4                 # optional: used by a tile; without it, the profile's
//   link_mbps = 1000.0        # optional, switched only: its own port's line rate, each way
//   memory = "512 MiB"        # optional: bytes, or a number with KiB, MiB or GiB; 0: no cap
//   pace = true               # optional: computes no faster than `gflops`, as a stand-in
//   cpus = 0.5                # optional: the lab gives it so much of the machine's cores
//
// Every other key is an error that names its line. One reader, one printer: parsing what was
// printed gives the same value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/files/profile_file.hpp"
#include "partition/base/result.hpp"
#include "partition/search/planner.hpp"

namespace shingle {

struct ClusterFileNode {
  NodeId id;
  std::string name;
  std::string address = "127.0.0.1";
  uint16_t port = 0;
  std::string profile{};                  // as written; empty: none
  std::optional<DeviceProfile> device{};  // what `profile` names
  double gflops = 4.0;
  int32_t cores = 1;
  double link_mbps = 1000.0;
  int64_t memory_bytes = 0;  // 0: no cap
  bool pace = false;
  double cpus = 0.0;  // 0: no quota
  friend bool operator==(const ClusterFileNode&, const ClusterFileNode&) = default;
};

enum class NetworkKind : uint8_t { switched, shared };

const std::vector<std::string>& network_kinds();  // by NetworkKind: "switched", "shared"

struct ClusterNetwork {
  NetworkKind kind = NetworkKind::switched;
  double mbps = 1000.0;
  double delay_ms = 0.0;
  friend bool operator==(const ClusterNetwork&, const ClusterNetwork&) = default;
};

struct ClusterFile {
  ClusterNetwork network;
  std::vector<ClusterFileNode> nodes;  // ascending ids; at least one
  friend bool operator==(const ClusterFile&, const ClusterFile&) = default;
};

// `file_name` is only for the error: "cluster.toml:7: ...". The text may be hostile.
Result<ClusterFile> parse_cluster(std::string_view text, std::string_view file_name);
std::string print(const ClusterFile& file);

// Reads the file and parses it.
Result<ClusterFile> load_cluster(const std::string& path);

// What computing costs there: the profile's on so many cores, as fast as `gflops` says; or what
// follows from `gflops` alone. A paced node takes its time by the MACs, whatever it computes.
NodeProfile costs_of(const ClusterFileNode& node);

// TCP's share of a line: 1448 bytes of each Ethernet frame's 1538, preamble and gap included.
inline constexpr double goodput_share = 1448.0 / 1538.0;
// Of a medium that carries acknowledgements too, one of 90 bytes for two frames.
inline constexpr double medium_goodput_share = 2 * 1448.0 / (2 * 1538.0 + 90.0);

// What the planner needs to know of it: links in TCP's goodput, not in line rate.
Cluster planner_cluster(const ClusterFile& file);

}  // namespace shingle
