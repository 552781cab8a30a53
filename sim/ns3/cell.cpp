// SPDX-License-Identifier: GPL-2.0-only
#include "sim/ns3/cell.hpp"

#include <cmath>

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/mobility-helper.h"
#include "ns3/node-container.h"
#include "ns3/position-allocator.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

namespace shingle_ns3 {
namespace {

constexpr double radius_m = 2.0;
// Behind a station's queue is the fair one; behind an access point's there is none for what it
// forwards, so that packets would be lost.
constexpr const char* station_queue = "200p";
constexpr const char* access_point_queue = "2000p";
constexpr double pi = 3.14159265358979323846;

void place(const ns3::NodeContainer& stations, const ns3::NodeContainer& access_point) {
  auto positions = ns3::CreateObject<ns3::ListPositionAllocator>();
  for (std::uint32_t i = 0; i < stations.GetN(); ++i) {
    const double angle = 2 * pi * i / stations.GetN();
    positions->Add(ns3::Vector(radius_m * std::cos(angle), radius_m * std::sin(angle), 0));
  }
  positions->Add(ns3::Vector(0, 0, 0));
  ns3::MobilityHelper mobility;
  mobility.SetPositionAllocator(positions);
  mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
  mobility.Install(stations);
  mobility.Install(access_point);
}

void set_queue(const char* size) {  // of what is installed from now on
  ns3::Config::SetDefault("ns3::WifiMacQueue::MaxSize", ns3::StringValue(size));
}

ns3::WifiStandard standard_of(const Mode& mode) {
  switch (mode.standard) {
    case Mode::Standard::b:
      return ns3::WIFI_STANDARD_80211b;
    case Mode::Standard::g:
      return ns3::WIFI_STANDARD_80211g;
    case Mode::Standard::n:
      return ns3::WIFI_STANDARD_80211n;
  }
  return ns3::WIFI_STANDARD_80211n;
}

ns3::YansWifiPhyHelper radio_of(const Mode& mode) {
  ns3::YansWifiPhyHelper radio;
  ns3::YansWifiChannelHelper air = ns3::YansWifiChannelHelper::Default();
  radio.SetChannel(air.Create());
  radio.Set("ChannelSettings",
            ns3::StringValue("{0, " + std::to_string(mode.width_mhz) + ", BAND_2_4GHZ, 0}"));
  const auto streams = static_cast<std::uint64_t>(mode.mcs / 8 + 1);
  radio.Set("Antennas", ns3::UintegerValue(streams));
  radio.Set("MaxSupportedTxSpatialStreams", ns3::UintegerValue(streams));
  radio.Set("MaxSupportedRxSpatialStreams", ns3::UintegerValue(streams));
  return radio;
}

}  // namespace

CellDevices build_cell(const Cell& cell, const std::map<Id, ns3::Ptr<ns3::Node>>& nodes,
                       const std::string& pcap) {
  ns3::NodeContainer stations, access_point;
  for (const Id each : cell.stations) stations.Add(nodes.at(each));
  if (cell.infrastructure) access_point.Add(nodes.at(cell.id));
  place(stations, access_point);

  ns3::WifiHelper wifi;
  wifi.SetStandard(standard_of(cell.mode));
  wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode",
                               ns3::StringValue(cell.mode.data), "ControlMode",
                               ns3::StringValue(cell.mode.control));
  if (cell.mode.standard == Mode::Standard::n)
    wifi.ConfigHtOptions("ShortGuardIntervalSupported", ns3::BooleanValue(cell.mode.short_guard));
  ns3::YansWifiPhyHelper radio = radio_of(cell.mode);
  const ns3::SsidValue name{ns3::Ssid("cell-" + std::to_string(cell.id))};
  ns3::WifiMacHelper mac;
  CellDevices built;
  if (cell.infrastructure)
    mac.SetType("ns3::StaWifiMac", "Ssid", name);
  else
    mac.SetType("ns3::AdhocWifiMac");
  set_queue(station_queue);
  built.devices = wifi.Install(radio, mac, stations);
  if (cell.infrastructure) {
    for (std::uint32_t i = 0; i < built.devices.GetN(); ++i)
      built.associating.push_back(ns3::DynamicCast<ns3::StaWifiMac>(
          ns3::DynamicCast<ns3::WifiNetDevice>(built.devices.Get(i))->GetMac()));
    mac.SetType("ns3::ApWifiMac", "Ssid", name);
    set_queue(access_point_queue);
    built.devices.Add(wifi.Install(radio, mac, access_point));
  }
  if (!pcap.empty()) radio.EnablePcap(pcap + "-cell", built.devices, true);
  return built;
}

}  // namespace shingle_ns3
