// What a network simulator in another process is told about the network: hosts, switches, wires and
// Wi-Fi cells, with units as in docs/develop/network_pipe.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partition/base/time.hpp"

namespace shingle::sim {

struct PipedLink {
  uint32_t from = 0, to = 0;  // hosts, switches or access points
  int64_t forward_bits_per_second = 0, back_bits_per_second = 0;  // of IP packets of 1500 bytes
  Duration delay{};
  int64_t forward_lost_per_million = 0, back_lost_per_million = 0;  // packets
};

enum class PipedCellKind : uint8_t { infrastructure, ad_hoc };

struct PipedCell {
  uint32_t id = 0;  // in infrastructure also that of the access point
  PipedCellKind kind = PipedCellKind::infrastructure;
  std::string mode = "n-7-20-800";  // b-RATE, g-RATE, n-MCS-WIDTH-GUARD
  std::vector<uint32_t> stations;   // hosts
};

struct PipedConnection {
  uint32_t from = 0, to = 0;  // both directions
  friend auto operator<=>(const PipedConnection&, const PipedConnection&) = default;
};

struct PipedRateStep {
  Time at{};
  size_t link = 0;      // index in PipedTopology::links
  bool forward = true;  // the direction whose rate changes
  int64_t bits_per_second = 0;
  friend bool operator==(const PipedRateStep&, const PipedRateStep&) = default;
};

// Ids of hosts, switches and cells differ, and are at most 65,535.
struct PipedTopology {
  uint64_t seed = 1;
  std::vector<uint32_t> hosts{}, switches{};
  std::vector<PipedLink> links{};
  std::vector<PipedCell> cells{};
  std::vector<PipedRateStep> steps{};          // later rates, ascending times
  std::vector<PipedConnection> connections{};  // the pairs of hosts that will send
};

// The requests that describe it at time 0, in order. The simulator judges whether it makes sense.
std::vector<std::string> requests_for(const PipedTopology& topology);

// All pairs of hosts 0 to hosts - 1.
std::vector<PipedConnection> all_pairs(uint32_t hosts);

// --- builders, with all pairs connected ---

// Host i has port[i] of one switch. The delay is that of one wire: a message crosses two.
struct PipedPort {
  int64_t up_bits_per_second = 0, down_bits_per_second = 0;
  Duration delay{};
};
PipedTopology piped_star(const std::vector<PipedPort>& ports);
PipedTopology piped_cell(uint32_t stations, PipedCellKind kind, const std::string& mode);

// The rate of IP packets that carries so many bytes of TCP payload per second, in full segments.
int64_t packet_bits_per_second(double payload_bytes_per_second);

}  // namespace shingle::sim
