// Announcement: what a node publishes about itself at the broker, as JSON; docs/use/mqtt.md lists
// the fields. Anybody who reaches the broker can publish anything in any node's name. So a wrong
// text is refused with one sentence, and the size of a right one is bounded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "devices/files/cluster_file.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

struct Announcement {
  static constexpr size_t max_text = 64 << 10, max_addresses = 8, max_models = 256;

  // Who the node is and what it can do, as in a cluster file, but without an address.
  ClusterFileNode node;
  std::string session;  // names this process; a last will belongs to one session
  std::vector<Address> addresses;
  bool computes = true;             // false: it only owns frames
  std::vector<std::string> models;  // names of files
  friend bool operator==(const Announcement&, const Announcement&) = default;
};

// parse_announcement(print(x)) gives x.
std::string print(const Announcement& announcement);
Result<Announcement> parse_announcement(std::string_view text);

// Whether the process of that session is there. Published beside the announcement, and as last
// will.
struct Sign {
  bool online = false;
  std::string session;
  friend bool operator==(const Sign&, const Sign&) = default;
};
std::string print(const Sign& sign);
Result<Sign> parse_sign(std::string_view text);

}  // namespace shingle
