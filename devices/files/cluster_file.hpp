// ClusterFile: the nodes of a cluster and the network between them, as a TOML file that people
// write. The program, the planner, the lab (docs/develop/lab.md) and the simulator read the same
// file.
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
//                             # one
//   gflops = 8.0              # optional: effective on convolutions, all cores together; without
//                             # it, the profile's
//   cores = 4                 # optional: used by a tile; without it, the profile's
//   link_mbps = 1000.0        # optional, switched only: its own port's line rate, each way
//   memory = "512 MiB"        # optional: bytes, or a number with KiB, MiB or GiB; 0: no cap
//   pace = true               # optional: computes no faster than `gflops`, as a stand-in
//   cpus = 0.5                # optional: the lab gives it so much of the machine's cores
//
//   # Only the simulator reads the keys below; all are optional.
//   board = "pi4"             # power, heat, jitter: devices/boards/, or a file beside this one;
//                             # without a profile, the board's
//   fan = true                # cools the board
//   up_mbps = 20.0            # switched only: instead of link_mbps, of what it sends
//   down_mbps = 90.0          # switched only: of what it receives
//   loss = 0.01               # share of its packets that are lost
//   rate_trace = "walk.txt"   # switched only: its port's rates over time, a file beside this one:
//                             # "12.5 s 20 Mb/s" in each line, from 0 s to the end
//   at = "attic"              # the switch or cell that it is connected to; needed if there are any
//
//   [[switch]]                # only where there are several, or cells
//   name = "attic"
//
//   [[cell]]                  # Wi-Fi: its stations share the air
//   name = "garden"
//   kind = "access_point"     # or "ad_hoc": stations send to each other directly
//   mode = "n-7-20-400"       # optional: b-11, g-54 or 802.11n's n-MCS-WIDTH-GUARD, see
//                             # wifi_modes(); without it, 802.11n with one stream in 20 MHz
//
//   [[trunk]]                 # joins two of them
//   from = "attic"
//   to = "garden"
//   mbps = 1000.0
//   delay_ms = 0.2            # optional
//
// Every other key is an error that names its line. Parsing the printed text gives the same value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/files/device_file.hpp"
#include "devices/files/profile_file.hpp"
#include "partition/base/result.hpp"
#include "partition/search/planner.hpp"

namespace shingle {

// The line rate of a port from a moment on.
struct LinkRate {
  Duration at{};
  double mbps = 0.0;
  friend bool operator==(const LinkRate&, const LinkRate&) = default;
};

struct ClusterFileNode {
  NodeId id;
  std::string name;
  std::string address = "127.0.0.1";
  uint16_t port = 0;
  std::string profile{};                  // as the file has it; empty: none
  std::optional<DeviceProfile> device{};  // the profile of that name
  double gflops = 4.0;
  int32_t cores = 1;
  double link_mbps = 1000.0;
  int64_t memory_bytes = 0;  // 0: no cap
  bool pace = false;
  double cpus = 0.0;                 // 0: no quota
  std::string board{};               // as the file has it; empty: none
  std::optional<DeviceSpec> spec{};  // the board of that name
  bool fan = false;
  std::optional<double> up_mbps{}, down_mbps{};  // none: link_mbps
  double loss = 0.0;
  std::string rate_trace{};       // as the file has it; empty: none
  std::vector<LinkRate> rates{};  // of that file: ascending, the first at 0
  std::string at{};               // the name of a point; empty: there is one switch, or one medium
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

// A switch or a cell, and what joins two of them.
struct NetworkPoint {
  enum class Kind : uint8_t { plain_switch, access_point, ad_hoc };
  std::string name;
  Kind kind = Kind::plain_switch;
  std::string mode{};  // of a cell; empty: air_802_11n()
  friend bool operator==(const NetworkPoint&, const NetworkPoint&) = default;
};
struct NetworkTrunk {
  std::string from, to;
  double mbps = 1000.0, delay_ms = 0.0;
  friend bool operator==(const NetworkTrunk&, const NetworkTrunk&) = default;
};

struct ClusterFile {
  ClusterNetwork network{};
  std::vector<NetworkPoint> points{};  // switches, then cells
  std::vector<NetworkTrunk> trunks{};
  std::vector<ClusterFileNode> nodes;  // ascending ids; at least one
  friend bool operator==(const ClusterFile&, const ClusterFile&) = default;
};

// `file_name` is only for the error: "cluster.toml:7: ...". The text may be hostile.
Result<ClusterFile> parse_cluster(std::string_view text, std::string_view file_name);
std::string print(const ClusterFile& file);

// Reads the file and parses it.
Result<ClusterFile> load_cluster(const std::string& path);

// What computing costs on that node: the profile's costs on so many cores, scaled to `gflops` if
// that is given; without a profile, costs that follow from `gflops` alone. The time of a paced node
// follows from the MACs only, whatever layers it computes.
NodeProfile costs_of(const ClusterFileNode& node);

// TCP's share of a line: an Ethernet frame takes 1538 bytes with preamble and gap, 1448 of them are
// payload.
inline constexpr double goodput_share = 1448.0 / 1538.0;
// The same for a medium that carries the acknowledgements too: 90 bytes for every two frames.
inline constexpr double medium_goodput_share = 2 * 1448.0 / (2 * 1538.0 + 90.0);

// Line rates of the node's port.
inline double up_mbps_of(const ClusterFileNode& node) {
  return node.up_mbps.value_or(node.link_mbps);
}
inline double down_mbps_of(const ClusterFileNode& node) {
  return node.down_mbps.value_or(node.link_mbps);
}

// The cluster as the planner sees it: links have TCP's goodput, not the line rate, and the slower
// direction's rate both ways.
Cluster planner_cluster(const ClusterFile& file);

}  // namespace shingle
