// SPDX-License-Identifier: GPL-2.0-only
#include "sim/ns3/traffic.hpp"

#include <algorithm>

#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "sim/ns3/lines.hpp"

namespace shingle_ns3 {
namespace {

constexpr std::uint16_t first_port = 10'000;
constexpr std::int64_t warm_up_bytes = 30'000;
constexpr MessageId warm_up_id = -1;
constexpr std::int64_t largest_write = 65'536;
const ns3::Time slice = ns3::MilliSeconds(10);
const ns3::Time patience = ns3::Seconds(60);
const ns3::Time settle = ns3::MilliSeconds(100);  // the last acknowledgement waits for 40 ms

}  // namespace

void Stream::write_to(ns3::Ptr<ns3::Socket> socket) {
  writer_ = socket;
  writer_->SetSendCallback(
      ns3::Callback<void, ns3::Ptr<ns3::Socket>, std::uint32_t>([this](auto, auto) { write(); }));
  write();
}

void Stream::read_from(ns3::Ptr<ns3::Socket> socket) {
  reader_ = socket;
  reader_->SetRecvCallback(ns3::Callback<void, ns3::Ptr<ns3::Socket>>([this](auto) { read(); }));
}

void Stream::send(MessageId id, std::int64_t bytes) {
  sent_ += bytes;
  waiting_.push_back({id, sent_});
  write();
}

void Stream::write() {
  while (writer_ && written_ < sent_) {
    const std::int64_t bytes =
        std::min({sent_ - written_, largest_write, std::int64_t{writer_->GetTxAvailable()}});
    if (bytes == 0) return;
    const int taken = writer_->Send(ns3::Create<ns3::Packet>(static_cast<std::uint32_t>(bytes)));
    if (taken <= 0) return;
    written_ += taken;
  }
}

void Stream::read() {
  while (const ns3::Ptr<ns3::Packet> packet = reader_->Recv()) {
    if (packet->GetSize() == 0) return;
    received_ += packet->GetSize();
    received_everywhere_ += packet->GetSize();
  }
  while (!waiting_.empty() && waiting_.front().end <= received_) {
    deliver_(waiting_.front().id);
    waiting_.pop_front();
  }
}

void Traffic::connect(Id a, Id b) {
  world_.address(b, a);  // throws if nothing joins it
  const auto port = static_cast<std::uint16_t>(first_port + connections_.size());
  Connection& connection = connections_[{a, b}];
  const auto deliver = [this](MessageId id) { delivered(id); };
  connection.up = std::make_unique<Stream>(deliver, received_);
  connection.down = std::make_unique<Stream>(deliver, received_);

  connection.listener =
      ns3::Socket::CreateSocket(world_.node(b), ns3::TcpSocketFactory::GetTypeId());
  connection.listener->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
  connection.listener->Listen();
  connection.listener->SetAcceptCallback(
      ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
      ns3::Callback<void, ns3::Ptr<ns3::Socket>, const ns3::Address&>(
          [this, &connection](ns3::Ptr<ns3::Socket> socket, const ns3::Address&) {
            accept(connection, socket);
          }));
  const auto caller = ns3::Socket::CreateSocket(world_.node(a), ns3::TcpSocketFactory::GetTypeId());
  const auto end = ns3::Callback<void, ns3::Ptr<ns3::Socket>>([this, a, b](auto) { broke(a, b); });
  caller->SetConnectCallback(ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>>(), end);
  caller->SetCloseCallbacks(end, end);
  connection.down->read_from(caller);
  caller->Connect(ns3::InetSocketAddress(world_.address(a, b), port));
  connection.up->write_to(caller);
  warm_up(*connection.up);
  if (!connection.open) throw Refusal{"a connection did not open"};
  warm_up(*connection.down);
}

void Traffic::accept(Connection& connection, ns3::Ptr<ns3::Socket> socket) {
  connection.open = true;
  connection.up->read_from(socket);
  connection.down->write_to(socket);
}

void Traffic::broke(Id a, Id b) {
  broken_ = "the connection between " + std::to_string(a) + " and " + std::to_string(b) + " broke";
  ns3::Simulator::Stop();
}

void Traffic::warm_up(Stream& stream) {
  in_flight_.insert(warm_up_id);
  stream.send(warm_up_id, warm_up_bytes);
  const auto never = [] { return false; };
  while (in_flight_.count(warm_up_id) > 0) run(ns3::Simulator::Now() + patience, never);
  delivered_.clear();
  run(ns3::Simulator::Now() + settle, never);
}

void Traffic::send(MessageId id, Id from, Id to, std::int64_t bytes) {
  const auto found = connections_.find(std::minmax(from, to));
  if (found == connections_.end())
    throw Refusal{"there is no connection from " + std::to_string(from) + " to " +
                  std::to_string(to)};
  if (!in_flight_.insert(id).second)
    throw Refusal{"message " + std::to_string(id) + " is in flight already"};
  if (in_flight_.size() == 1) last_progress_ = ns3::Simulator::Now();
  (from < to ? found->second.up : found->second.down)->send(id, bytes);
}

void Traffic::delivered(MessageId id) {
  in_flight_.erase(id);
  delivered_.push_back(id);
  ns3::Simulator::Stop();
}

std::vector<MessageId> Traffic::run_until(ns3::Time end, std::size_t most,
                                          const std::function<bool()>& pause) {
  run(end, pause);
  const auto last =
      delivered_.begin() + static_cast<std::ptrdiff_t>(std::min(most, delivered_.size()));
  std::vector<MessageId> taken(delivered_.begin(), last);
  delivered_.erase(delivered_.begin(), last);
  return taken;
}

void Traffic::run(ns3::Time end, const std::function<bool()>& pause) {
  while (delivered_.empty() && ns3::Simulator::Now() < end) {
    const ns3::Time next = std::min(end, ns3::Simulator::Now() + slice);
    // Not Simulator::Stop(Time): what is left of it after a delivery would end a later run.
    const ns3::EventId stop =
        ns3::Simulator::Schedule(next - ns3::Simulator::Now(), [] { ns3::Simulator::Stop(); });
    ns3::Simulator::Run();
    ns3::Simulator::Cancel(stop);
    check_progress();
    if (pause()) return;
  }
}

void Traffic::check_progress() {
  if (!broken_.empty()) throw Refusal{broken_};
  if (in_flight_.empty() || received_ != received_before_) last_progress_ = ns3::Simulator::Now();
  received_before_ = received_;
  if (ns3::Simulator::Now() - last_progress_ > patience)
    throw Refusal{"nothing arrived for 60 s of virtual time, and " +
                  std::to_string(in_flight_.size()) + " messages are in flight"};
}

}  // namespace shingle_ns3
