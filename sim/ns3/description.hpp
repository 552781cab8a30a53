// SPDX-License-Identifier: GPL-2.0-only
// What the other side said about the network, checked word by word, before anything is built.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shingle_ns3 {

using Id = std::int64_t;  // of a host, switch or access point
constexpr Id largest_id = 65'535;

struct Link {
  Id ends[2];
  std::int64_t
      bits_per_second[2];  // from ends[0] to ends[1], and back: of IP packets of 1500 bytes
  std::int64_t delay_ns;
  std::int64_t lost_per_million[2];  // packets, in the same two directions
};

// A way in which stations send: "b-11", "g-54", "n-7-20-800" (MCS, MHz, guard interval in ns).
struct Mode {
  enum class Standard { b, g, n } standard;
  std::string data, control;  // ns-3's names
  int mcs = 0;                // n only, as the two below
  int width_mhz = 0;
  bool short_guard = false;
};
Mode mode_of(std::string_view word);  // throws Refusal

struct Cell {
  Id id;                // in infrastructure also that of the access point
  bool infrastructure;  // or ad hoc
  Mode mode;
  std::vector<Id> stations;  // hosts
};

struct Description {
  std::int64_t seed = 1;
  std::vector<Id> hosts, switches;  // in the order in which they were named
  std::vector<Link> links;
  std::vector<Cell> cells;
  std::vector<std::pair<Id, Id>> connections;  // ascending pairs
};

// Carries out one request of the topology. Throws Refusal if it makes no sense.
void describe(Description& description, const std::vector<std::string_view>& words);

}  // namespace shingle_ns3
