// Announcement: what a node says of itself through the broker, as JSON; docs/use/mqtt.md lists the
// fields. Anybody who reaches the broker may say anything in anybody's name: what does not hold is
// refused with one sentence, and what is let through is bounded.
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

  // Who it is and what it can do, as a cluster file would say; without an address.
  ClusterFileNode node;
  std::string session;  // of this process: a last will is of one session
  std::vector<Address> addresses;
  bool computes = true;             // else it only owns frames
  std::vector<std::string> models;  // files' names
  friend bool operator==(const Announcement&, const Announcement&) = default;
};

// One reader, one printer: parsing what was printed gives the same value.
std::string print(const Announcement& announcement);
Result<Announcement> parse_announcement(std::string_view text);

// Retained beside it, and the last will: is the process of that session there?
struct Sign {
  bool online = false;
  std::string session;
  friend bool operator==(const Sign&, const Sign&) = default;
};
std::string print(const Sign& sign);
Result<Sign> parse_sign(std::string_view text);

}  // namespace shingle
