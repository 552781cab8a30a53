#include "transport/zmq/zmq_transport.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <zmq.hpp>

#include "tests/transport/members.hpp"
#include "tests/transport/messages.hpp"
#include "tests/transport/notes.hpp"
#include "transport/codec/codec.hpp"
#include "transport/codec/frame_checksum.hpp"
#include "transport/zmq/outbox.hpp"

namespace shingle {
namespace {

using networks::Random;
using testing::connected;
using testing::long_enough;
using testing::Member;
using testing::next;
using testing::Notes;
using testing::open;
using testing::options_of;
using testing::random_message;
using testing::same;

Body body_of(const std::vector<std::byte>& bytes) {
  return {bytes.size(), [&bytes](std::span<std::byte> wire) {
            std::memcpy(wire.data(), bytes.data(), bytes.size());
          }};
}

std::vector<std::byte> random_bytes(Random& random, size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

std::string refusal(ZmqOptions options) {
  Inbox inbox;
  const auto transport = ZmqTransport::open(std::move(options), inbox);
  return transport ? "" : transport.error();
}

TEST_CASE("two members exchange every kind of message, in order, with payloads bit for bit") {
  const uint64_t seed = 5;
  CAPTURE(seed);
  Random random(seed);
  auto members = connected(2);
  for (const auto& member : members) REQUIRE(next<PeerSeen>(member->inbox).has_value());
  for (size_t sender = 0; sender < 2; ++sender) {
    Member &from = *members[sender], &to = *members[1 - sender];
    std::vector<Message> sent;
    std::vector<std::vector<std::byte>> payloads;
    const NodeId here{static_cast<uint32_t>(sender + 1)};
    const NodeId there{static_cast<uint32_t>(2 - sender)};
    for (int round = 0; round < 20; ++round)
      for (size_t kind = 0; kind < std::variant_size_v<Message>; ++kind) {
        sent.push_back(random_message(random, kind));
        const bool piece = std::holds_alternative<Piece>(sent.back());
        const auto bytes = static_cast<size_t>(piece ? random.between(1, 70'000) : 0);
        payloads.push_back(random_bytes(random, bytes));
        from.transport->send(there, {.from = here, .ready_tiles = 7}, sent.back(),
                             body_of(payloads.back()));
      }
    for (size_t i = 0; i < sent.size(); ++i) {
      const auto item = next<MessageReceived>(to.inbox);
      REQUIRE(item.has_value());
      const auto& received = std::get<MessageReceived>(item->event);
      REQUIRE(same(received.message, sent[i]));
      CHECK(received.envelope.from == here);
      CHECK(received.envelope.ready_tiles == 7);
      CHECK(received.payload_bytes == static_cast<int64_t>(payloads[i].size()));
      CHECK(std::ranges::equal(item->payload.bytes, payloads[i]));
    }
  }
}

TEST_CASE("a peer is seen once both have greeted, and lost when it goes") {
  auto members = connected(3);
  for (auto& member : members) {
    CHECK(next<PeerSeen>(member->inbox).has_value());
    CHECK(next<PeerSeen>(member->inbox).has_value());
  }
  members[1]->transport.reset();
  for (const size_t other : {0U, 2U}) {
    const auto lost = next<PeerLost>(members[other]->inbox);
    REQUIRE(lost.has_value());
    CHECK(std::get<PeerLost>(lost->event).peer == NodeId{2});
  }
}

TEST_CASE("a peer that comes back on the same port is seen again") {
  auto members = connected(2);
  REQUIRE(next<PeerSeen>(members[0]->inbox).has_value());
  const uint16_t port = members[1]->transport->port();
  members[1]->transport.reset();
  REQUIRE(next<PeerLost>(members[0]->inbox).has_value());
  ZmqOptions again = options_of(2, {1, 2});
  again.port = port;
  members[1]->transport = open(again, members[1]->inbox);
  REQUIRE(next<PeerSeen>(members[0]->inbox).has_value());
  members[0]->transport->send({2}, {.from = {1}}, Beat{}, {});
  const auto beat = next<MessageReceived>(members[1]->inbox);
  CHECK(beat.has_value());
}

// A process that opens the transport of member `id` and is then killed. Forked before this process
// has threads of its own.
class Victim {
 public:
  explicit Victim(uint32_t id, uint16_t peer_port) {
    int pipe_ends[2];
    REQUIRE(::pipe(pipe_ends) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) live(id, peer_port, pipe_ends[1]);
    ::close(pipe_ends[1]);
    REQUIRE(::read(pipe_ends[0], &port_, sizeof port_) == sizeof port_);
    ::close(pipe_ends[0]);
  }
  ~Victim() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  uint16_t port() const { return port_; }
  void kill() { ::kill(pid_, SIGKILL); }
  void freeze() { ::kill(pid_, SIGSTOP); }

 private:
  [[noreturn]] static void live(uint32_t id, uint16_t peer_port, int report) {
    Inbox inbox;
    const uint32_t other = 3 - id;
    auto transport = ZmqTransport::open(options_of(id, {1, 2}, {{other, peer_port}}), inbox);
    const uint16_t port = transport ? (*transport)->port() : 0;
    if (::write(report, &port, sizeof port) != sizeof port) ::_exit(1);
    while (true) ::pause();
  }
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

TEST_CASE("a killed process that was dialled is lost at once") {
  Victim victim(2, 1);
  Member survivor;
  survivor.transport = open(options_of(1, {1, 2}, {{2, victim.port()}}), survivor.inbox);
  REQUIRE(next<PeerSeen>(survivor.inbox).has_value());
  const auto begin = std::chrono::steady_clock::now();
  victim.kill();
  REQUIRE(next<PeerLost>(survivor.inbox).has_value());
  // Well before the silence would have been noticed.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1000));
}

uint16_t free_port() {
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::rep);
  socket.bind("tcp://127.0.0.1:*");
  const std::string address = socket.get(zmq::sockopt::last_endpoint);
  return static_cast<uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

TEST_CASE("a killed process that dialled is lost at once") {
  const uint16_t port =
      free_port();  // the victim dials it before somebody listens there, and keeps trying
  Victim victim(1, port);
  Member survivor;
  ZmqOptions options = options_of(2, {1, 2});
  options.port = port;
  survivor.transport = open(options, survivor.inbox);
  REQUIRE(next<PeerSeen>(survivor.inbox).has_value());
  const auto begin = std::chrono::steady_clock::now();
  victim.kill();
  REQUIRE(next<PeerLost>(survivor.inbox).has_value());
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1000));
}

TEST_CASE("a frozen process is lost when it has been silent for too long") {
  Victim victim(2, 1);
  Member survivor;
  ZmqOptions options = options_of(1, {1, 2}, {{2, victim.port()}});
  options.silence_allowed = std::chrono::milliseconds(300);
  survivor.transport = open(options, survivor.inbox);
  REQUIRE(next<PeerSeen>(survivor.inbox).has_value());
  victim.freeze();
  CHECK(next<PeerLost>(survivor.inbox).has_value());
}

TEST_CASE("a port in use is one sentence that names it") {
  Member first;
  first.transport = open(options_of(1, {1}), first.inbox);
  ZmqOptions second = options_of(2, {2});
  second.port = first.transport->port();
  CHECK(refusal(second) == "Port " + std::to_string(second.port) +
                               " of 127.0.0.1 is in use by another program: stop that one, or give "
                               "this node another port.");
}

TEST_CASE("an address that this machine does not have, and an id given twice, are refused") {
  ZmqOptions elsewhere = options_of(1, {1});
  elsewhere.host = "192.0.2.1";  // kept for documentation, nobody's (RFC 5737)
  CHECK(refusal(elsewhere).find("has no address 192.0.2.1") != std::string::npos);
  ZmqOptions twice = options_of(1, {1, 2});
  twice.peers.push_back(twice.peers[0]);
  CHECK(refusal(twice) == "Two members of the cluster have the id 2.");
}

TEST_CASE("members with different cluster files are told so, both of them") {
  Notes low_notes, high_notes;
  Member low, high;
  ZmqOptions high_options = options_of(2, {1, 2, 3});
  high_options.peers[1].port = 1;
  high_options.on_note = high_notes.listener();
  high.transport = open(high_options, high.inbox);
  ZmqOptions low_options = options_of(1, {1, 2}, {{2, high.transport->port()}});
  low_options.on_note = low_notes.listener();
  low.transport = open(low_options, low.inbox);
  const std::string why =
      "node 1 (member 1) has a cluster file with the nodes 1, 2, node 2 (member 2) one with the "
      "nodes 1, 2, 3";
  CHECK(low_notes.mention(why));
  CHECK(high_notes.mention(why));
}

TEST_CASE("a second process with an id that is connected is refused, the first is left alone") {
  auto members = connected(2);
  REQUIRE(next<PeerSeen>(members[1]->inbox).has_value());
  Notes notes;
  Member twin;
  ZmqOptions options = options_of(1, {1, 2}, {{2, members[1]->transport->port()}});
  options.on_note = notes.listener();
  twin.transport = open(options, twin.inbox);
  CHECK(notes.mention("node 1 (member 1) is connected already"));
  members[0]->transport->send({2}, {.from = {1}}, Grant{}, {});
  CHECK(next<MessageReceived>(members[1]->inbox).has_value());
}

TEST_CASE("a peer that sends more than the inbox holds is hung up on, not waited for") {
  Member low, high({.peer_messages = 20, .peer_bytes = 1 << 20});
  high.transport = open(options_of(2, {1, 2}), high.inbox);
  low.transport = open(options_of(1, {1, 2}, {{2, high.transport->port()}}), low.inbox);
  REQUIRE(next<PeerSeen>(low.inbox).has_value());
  for (int i = 0; i < 11; ++i) low.transport->send({2}, {.from = {1}}, Beat{}, {});
  REQUIRE(next<PeerLost>(low.inbox).has_value());
  CHECK(next<PeerLost>(high.inbox).has_value());
  CHECK(high.inbox.refused() == 1);
}

TEST_CASE("a peer's burst costs nobody else its connection") {
  Member first, second, flooded({.peer_messages = 20, .peer_bytes = 1 << 20});
  flooded.transport = open(options_of(3, {1, 2, 3}), flooded.inbox);
  const uint16_t port = flooded.transport->port();
  second.transport = open(options_of(2, {1, 2, 3}, {{3, port}}), second.inbox);
  first.transport =
      open(options_of(1, {1, 2, 3}, {{2, second.transport->port()}, {3, port}}), first.inbox);
  for (Member* member : {&first, &second})
    for (int peers = 0; peers < 2; ++peers) REQUIRE(next<PeerSeen>(member->inbox).has_value());
  for (int i = 0; i < 100; ++i) first.transport->send({3}, {.from = {1}}, Beat{}, {});
  REQUIRE(next<PeerLost>(first.inbox).has_value());
  // Its share is full, and nobody has taken anything out.
  for (int i = 0; i < 3; ++i) second.transport->send({3}, {.from = {2}}, Grant{}, {});
  second.transport->send({1}, {.from = {2}}, Beat{}, {});
  int heard = 0;
  while (heard < 3) {
    const auto item = flooded.inbox.wait(std::chrono::steady_clock::now() + long_enough);
    REQUIRE(item.has_value());
    const auto* lost = std::get_if<PeerLost>(&item->event);
    REQUIRE((lost == nullptr || lost->peer == NodeId{1}));
    const auto* received = std::get_if<MessageReceived>(&item->event);
    if (received != nullptr && received->envelope.from == NodeId{2}) ++heard;
  }
}

TEST_CASE("who is given more to send than the sockets can take loses that connection") {
  Outbox outbox;
  const auto departure = [](uint32_t to, size_t bytes) {
    return Departure{.to = {to}, .header = zmq::message_t(), .payload = zmq::message_t(bytes)};
  };
  constexpr size_t half = Outbox::max_bytes / 2;
  CHECK(outbox.push(departure(1, half - 10)));
  CHECK(outbox.push(departure(2, 10)));  // who speaks next is none the worse for it
  CHECK_FALSE(outbox.push(departure(1, 11)));
  CHECK_FALSE(outbox.push(departure(1, 1)));  // not after a gap
  CHECK(outbox.push(departure(3, 10)));
  Outbox::Load load;
  CHECK(outbox.take(load));
  CHECK(load.departures.size() == 3);
  CHECK(load.short_of == std::set<NodeId>{{1}});
  CHECK(outbox.push(departure(1, half)));
  outbox.close();
  CHECK(outbox.take(load));
  CHECK(load.departures.size() == 1);
  CHECK(load.short_of.empty());
  CHECK_FALSE(outbox.take(load));
}

}  // namespace
}  // namespace shingle
