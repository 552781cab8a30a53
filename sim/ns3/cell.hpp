// SPDX-License-Identifier: GPL-2.0-only
// A Wi-Fi cell: stations on a circle around the access point, or around nothing (ad hoc), all of
// which hear each other. All send by one mode; no frame is lost but by collisions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/sta-wifi-mac.h"
#include "sim/ns3/description.hpp"

namespace shingle_ns3 {

struct CellDevices {
  ns3::NetDeviceContainer devices;  // the stations' in their order, then the access point's
  std::vector<ns3::Ptr<ns3::StaWifiMac>> associating;
};
CellDevices build_cell(const Cell& cell, const std::map<Id, ns3::Ptr<ns3::Node>>& nodes,
                       const std::string& pcap);

}  // namespace shingle_ns3
