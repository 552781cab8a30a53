// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/config.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/tcp-cubic.h"
#include "ns3/uinteger.h"
#include "sim/ns3/world.hpp"

namespace shingle_ns3 {
namespace {

struct Attribute {
  const char* name;
  const char* value;
};

constexpr Attribute attributes[] = {
    // TCP as Linux has it.
    {"ns3::TcpL4Protocol::SocketType", "ns3::TcpCubic"},
    {"ns3::TcpSocket::SegmentSize", "1448"},  // what Linux's time stamps leave of 1500 bytes
    {"ns3::TcpSocket::SndBufSize", "4194304"},
    {"ns3::TcpSocket::RcvBufSize", "4194304"},
    {"ns3::TcpSocket::InitialCwnd", "10"},
    {"ns3::TcpSocket::DelAckTimeout", "40ms"},
    {"ns3::TcpSocketBase::MinRto", "200ms"},
    {"ns3::TcpSocket::DataRetries", "15"},
    {"ns3::TcpSocket::TcpNoDelay", "true"},
    // Round trips in nanoseconds. With time stamps ns-3 measures them in whole milliseconds. Those
    // of most local networks are shorter, and HyStart depends on them. Linux has microseconds.
    {"ns3::TcpSocketBase::Timestamp", "false"},
    // A neighbour's address is asked for once, before the start.
    {"ns3::ArpCache::AliveTimeout", "1000000s"},
    {"ns3::ArpCache::PendingQueueSize", "1000"},
    // Fair queues between connections, as the lab's wires and Linux's senders have them. A packet
    // waits; it is lost only where a link says so.
    {"ns3::FqCoDelQueueDisc::Target", "1000s"},
    {"ns3::FqCoDelQueueDisc::Interval", "1000s"},
    {"ns3::FqCoDelQueueDisc::MaxSize", "200000p"},
    {"ns3::FqCoDelQueueDisc::EnableSetAssociativeHash", "true"},
    // The default is 1 ms, and then a transfer hangs if the response to ADDBA is lost.
    {"ns3::QosTxop::AddBaResponseTimeout", "100ms"},
    {"ns3::WifiMacQueue::MaxDelay", "100s"},
};

}  // namespace

void set_attributes(std::int64_t seed) {
  ns3::RngSeedManager::SetSeed(1);
  ns3::RngSeedManager::SetRun(static_cast<std::uint64_t>(seed));
  for (const Attribute& each : attributes)
    ns3::Config::SetDefault(each.name, ns3::StringValue(each.value));
}

}  // namespace shingle_ns3
