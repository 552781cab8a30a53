// Transports of a small cluster in one process, on real sockets and free ports of the loopback.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "transport/zmq/zmq_transport.hpp"

namespace shingle::testing {

// A limit that even a loaded machine keeps; no test waits until it has passed.
inline constexpr std::chrono::seconds long_enough{20};

struct Member {
  explicit Member(InboxLimits limits = {}) : inbox(limits) {}
  Inbox inbox;
  std::unique_ptr<ZmqTransport> transport;
};

// The options of `id` in a cluster of `members`, where `ports` are of the members with higher ids.
inline ZmqOptions options_of(uint32_t id, const std::vector<uint32_t>& members,
                             const std::vector<std::pair<uint32_t, uint16_t>>& ports = {}) {
  ZmqOptions options;
  options.id = {id};
  options.name = "member " + std::to_string(id);
  options.insecure = true;
  options.silence_allowed = options.greeting_allowed = long_enough;  // a loaded machine stutters
  for (const uint32_t other : members) {
    if (other == id) continue;
    PeerAddress peer{
        .id = {other}, .name = "member " + std::to_string(other), .host = "127.0.0.1", .port = 1};
    for (const auto& [owner, port] : ports)
      if (owner == other) peer.port = port;
    options.peers.push_back(peer);
  }
  return options;
}

inline std::unique_ptr<ZmqTransport> open(ZmqOptions options, Inbox& inbox) {
  auto transport = ZmqTransport::open(std::move(options), inbox);
  if (!transport) throw std::runtime_error(transport.error());
  return std::move(transport).value();
}

// Members 1 .. count, each connected with all others. `way` gives the port to dial for the port of
// the answerer: another one if a relay stands between them.
inline std::vector<std::unique_ptr<Member>> connected(
    uint32_t count,
    const std::function<uint16_t(uint16_t)>& way = [](uint16_t port) { return port; },
    Duration silence_allowed = long_enough) {
  std::vector<uint32_t> ids;
  for (uint32_t id = 1; id <= count; ++id) ids.push_back(id);
  std::vector<std::unique_ptr<Member>> members(count);
  std::vector<std::pair<uint32_t, uint16_t>> ports;
  for (uint32_t id = count; id >= 1;
       --id) {  // those that are dialled open first, so that their ports are known
    auto member = std::make_unique<Member>();
    ZmqOptions options = options_of(id, ids, ports);
    options.silence_allowed = silence_allowed;
    member->transport = open(std::move(options), member->inbox);
    ports.emplace_back(id, way(member->transport->port()));
    members[id - 1] = std::move(member);
  }
  return members;
}

// The next event of a kind; others are dropped. None if it does not come.
template <class Kind>
std::optional<Item> next(Inbox& inbox) {
  const auto until = std::chrono::steady_clock::now() + long_enough;
  while (std::optional<Item> item = inbox.wait(until))
    if (std::holds_alternative<Kind>(item->event)) return item;
  return std::nullopt;
}

}  // namespace shingle::testing
