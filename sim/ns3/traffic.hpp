// SPDX-License-Identifier: GPL-2.0-only
// Messages on TCP connections: sizes only. A message is so many bytes of its connection's stream,
// behind all that was sent before on it; it is delivered when its last byte has been read.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "ns3/socket.h"
#include "sim/ns3/world.hpp"

namespace shingle_ns3 {

using MessageId = std::int64_t;

// One way of a connection.
class Stream {
 public:
  Stream(std::function<void(MessageId)> deliver, std::int64_t& received)
      : deliver_(std::move(deliver)), received_everywhere_(received) {}
  void write_to(ns3::Ptr<ns3::Socket> socket);
  void read_from(ns3::Ptr<ns3::Socket> socket);
  void send(MessageId id, std::int64_t bytes);

 private:
  void write();
  void read();

  struct Message {
    MessageId id;
    std::int64_t end;  // in the stream
  };
  std::function<void(MessageId)> deliver_;
  std::int64_t& received_everywhere_;
  ns3::Ptr<ns3::Socket> writer_, reader_;
  std::deque<Message> waiting_;
  std::int64_t sent_ = 0, written_ = 0, received_ = 0;
};

class Traffic {
 public:
  explicit Traffic(const World& world) : world_(world) {}
  // Opens the connection and sends 30 kB each way, so that addresses are known, agreements of
  // 802.11n made and the window of TCP is open. Throws Refusal if that does not end.
  void connect(Id a, Id b);
  // Throws Refusal if there is no such connection or the id is in flight.
  void send(MessageId id, Id from, Id to, std::int64_t bytes);

  // Runs until `end`, until something is delivered or until `pause()` says so (it is asked every
  // 10 ms of virtual time). Returns at most `most` of what has been delivered by now and was not
  // returned before. Throws Refusal if nothing arrives for 60 s of virtual time although messages
  // are in flight.
  std::vector<MessageId> run_until(ns3::Time end, std::size_t most,
                                   const std::function<bool()>& pause);

 private:
  struct Connection {
    std::unique_ptr<Stream> up, down;  // from the lower id to the higher, and back
    ns3::Ptr<ns3::Socket> listener;
    bool open = false;
  };
  void accept(Connection& connection, ns3::Ptr<ns3::Socket> socket);
  void broke(Id a, Id b);
  void warm_up(Stream& stream);
  void delivered(MessageId id);
  void run(ns3::Time end, const std::function<bool()>& pause);
  void check_progress();

  const World& world_;
  std::map<std::pair<Id, Id>, Connection> connections_;
  std::set<MessageId> in_flight_;
  std::deque<MessageId> delivered_;
  std::string broken_;  // a sentence
  std::int64_t received_ = 0, received_before_ = 0;
  ns3::Time last_progress_;
};

}  // namespace shingle_ns3
