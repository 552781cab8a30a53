// SPDX-License-Identifier: GPL-2.0-only
#include "sim/ns3/world.hpp"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "sim/ns3/cell.hpp"
#include "sim/ns3/lines.hpp"

namespace shingle_ns3 {
namespace {

// A full IP packet has 1488 bytes, since it has no time stamps, and ns-3's wire adds 2. It takes as
// long as one of 1500 bytes takes at the rate that was asked for.
ns3::DataRate device_rate(std::int64_t bits_per_second) {
  return ns3::DataRate(
      static_cast<std::uint64_t>(static_cast<double>(bits_per_second) * 1490 / 1500));
}

void queue_fairly(const ns3::NetDeviceContainer& devices) {
  ns3::TrafficControlHelper fair;
  fair.SetRootQueueDisc("ns3::FqCoDelQueueDisc");
  fair.Install(devices);
}

void lose_packets(const ns3::Ptr<ns3::PointToPointNetDevice>& receiver, std::int64_t per_million) {
  auto model = ns3::CreateObject<ns3::RateErrorModel>();
  model->SetUnit(ns3::RateErrorModel::ERROR_UNIT_PACKET);
  model->SetRate(static_cast<double>(per_million) / 1e6);
  receiver->SetReceiveErrorModel(model);
}

std::string subnet(int first, int second, std::size_t index, std::size_t per_octet) {
  return std::to_string(first) + "." +
         std::to_string(second + static_cast<int>(index / 256 / per_octet)) + "." +
         std::to_string(index / per_octet % 256) + "." +
         std::to_string(index % per_octet * (256 / per_octet));
}

}  // namespace

World::World(const Description& description, std::string pcap) : pcap_(std::move(pcap)) {
  for (const Id id : description.hosts) add_node(id);
  for (const Id id : description.switches) add_node(id);
  for (const Cell& cell : description.cells)
    if (cell.infrastructure) add_node(cell.id);
  for (std::size_t i = 0; i < description.links.size(); ++i)
    add_link(description.links[i], subnet(10, 0, i, 64));
  for (std::size_t i = 0; i < description.cells.size(); ++i)
    add_cell(description.cells[i], subnet(172, 16, i, 1));
  if (!description.links.empty()) ns3::Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

void World::add_node(Id id) {
  const auto node = ns3::CreateObject<ns3::Node>();
  ns3::InternetStackHelper stack;
  stack.SetIpv6StackInstall(false);
  stack.Install(node);
  nodes_[id] = node;
}

void World::add_link(const Link& link, const std::string& network) {
  ns3::PointToPointHelper wire;
  wire.SetChannelAttribute("Delay", ns3::TimeValue(ns3::NanoSeconds(link.delay_ns)));
  // What waits does so in the fair queue above.
  wire.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("2p"));
  const ns3::NetDeviceContainer devices = wire.Install(node(link.ends[0]), node(link.ends[1]));
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto device = ns3::DynamicCast<ns3::PointToPointNetDevice>(devices.Get(i));
    device->SetDataRate(device_rate(link.bits_per_second[i]));
    // It receives what the other end sends.
    if (link.lost_per_million[1 - i] > 0) lose_packets(device, link.lost_per_million[1 - i]);
    senders_[{link.ends[i], link.ends[1 - i]}].push_back(device);
  }
  queue_fairly(devices);
  ns3::Ipv4AddressHelper(network.c_str(), "255.255.255.252").Assign(devices);
  if (!pcap_.empty()) wire.EnablePcap(pcap_ + "-link", devices, true);
}

void World::add_cell(const Cell& cell, const std::string& network) {
  CellDevices built = build_cell(cell, nodes_, pcap_);
  queue_fairly(built.devices);
  const ns3::Ipv4InterfaceContainer interfaces =
      ns3::Ipv4AddressHelper(network.c_str(), "255.255.255.0").Assign(built.devices);
  for (std::uint32_t i = 0; i < cell.stations.size(); ++i)
    cell_addresses_[cell.id][cell.stations[i]] = interfaces.GetAddress(i);
  stations_.insert(stations_.end(), built.associating.begin(), built.associating.end());
}

ns3::Ipv4Address World::address(Id from, Id to) const {
  for (const auto& [cell, addresses] : cell_addresses_)
    if (addresses.count(from) > 0 && addresses.count(to) > 0) return addresses.at(to);
  const auto stack = node(to)->GetObject<ns3::Ipv4>();
  // Interface 0 is the loopback.
  if (stack->GetNInterfaces() < 2) throw Refusal{"nothing joins host " + std::to_string(to)};
  return stack->GetAddress(1, 0).GetLocal();
}

bool World::all_associated() const {
  for (const auto& station : stations_)
    if (!station->IsAssociated()) return false;
  return true;
}

bool World::set_rates(Id a, Id b, std::int64_t from_a, std::int64_t from_b) {
  if (senders_.count({a, b}) == 0) return false;
  for (const auto& device : senders_[{a, b}]) device->SetDataRate(device_rate(from_a));
  for (const auto& device : senders_[{b, a}]) device->SetDataRate(device_rate(from_b));
  return true;
}

}  // namespace shingle_ns3
