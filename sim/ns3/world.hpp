// SPDX-License-Identifier: GPL-2.0-only
// The network as ns-3 has it: nodes, wires, cells, addresses, routes. ns-3's state is global, so a
// process builds one World.
#pragma once

#include <map>
#include <string>

#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/sta-wifi-mac.h"
#include "sim/ns3/description.hpp"

namespace shingle_ns3 {

class World {
 public:
  // Files of packets begin with `pcap` unless it is empty.
  World(const Description& description, std::string pcap);

  ns3::Ptr<ns3::Node> node(Id id) const { return nodes_.at(id); }
  // Where `to` is reached from `from`: in the cell that both belong to, else at its first device.
  ns3::Ipv4Address address(Id from, Id to) const;
  bool all_associated() const;
  // Of the links between both. False if there is none.
  bool set_rates(Id a, Id b, std::int64_t from_a, std::int64_t from_b);

 private:
  void add_node(Id id);
  void add_link(const Link& link, const std::string& network);
  void add_cell(const Cell& cell, const std::string& network);

  std::string pcap_;
  std::map<Id, ns3::Ptr<ns3::Node>> nodes_;
  std::map<std::pair<Id, Id>, std::vector<ns3::Ptr<ns3::PointToPointNetDevice>>>
      senders_;                                                  // (from, to)
  std::map<Id, std::map<Id, ns3::Ipv4Address>> cell_addresses_;  // by cell, host
  std::vector<ns3::Ptr<ns3::StaWifiMac>> stations_;              // of access points
};

// Sets the attributes of TCP, queues and Wi-Fi for everything that is built afterwards, with the
// reason of each.
void set_attributes(std::int64_t seed);

}  // namespace shingle_ns3
