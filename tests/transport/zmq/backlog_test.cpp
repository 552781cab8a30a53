// Messages without an end, which ZeroMQ would collect without limit, end their connection.
#include "transport/zmq/backlog.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <zmq.hpp>

#include "tests/transport/keys/key_scene.hpp"
#include "tests/transport/members.hpp"
#include "transport/codec/codec.hpp"
#include "transport/codec/frame_checksum.hpp"
#include "transport/zmq/endpoint.hpp"

namespace shingle {
namespace {

using testing::KeyScene;
using testing::long_enough;
using testing::Member;
using testing::next;
using testing::open;
using testing::options_of;

constexpr size_t mib = 1 << 20;

// Without heartbeats: libzmq 4.3.4 ends the process if one is due while a socket is being closed
// and the peer still sends.
ZmqOptions host_options() {
  ZmqOptions options = options_of(2, {1, 2});
  options.heartbeat = long_enough;
  return options;
}

// --- the sum -------------------------------------------------------------------------------------

struct Sum {
  Backlog backlog{-1};
  Backlog::Instant now{std::chrono::seconds(1000)};
  uint64_t arrived = 0;
  // A tenth of a second in which so many bytes arrive and so many are handed over.
  uint64_t pass(uint64_t bytes, uint64_t handed_over) {
    now += std::chrono::milliseconds(100);
    arrived += bytes;
    if (handed_over > 0) backlog.hand_over(handed_over);
    return backlog.look(arrived, now);
  }
};

TEST_CASE("what arrives and is not handed over waits, whole messages do not") {
  Sum sum;
  CHECK(sum.pass(300, 0) == 0);  // the handshake
  CHECK(sum.pass(mib, mib) == 0);
  CHECK(sum.pass(mib, 0) > mib - 5000);
  CHECK(sum.pass(mib, 2 * mib) == 0);
  for (int i = 0; i < 100; ++i) sum.pass(mib, 0);
  CHECK(sum.pass(0, 0) > 99 * mib);
}

TEST_CASE("a day of heartbeats and small messages is no backlog") {
  Sum sum;
  uint64_t most = 0;
  for (int i = 0; i < 24 * 36'000; ++i) most = std::max(most, sum.pass(84 + 200, 200));
  CHECK(most < mib);
}

TEST_CASE("a message in pieces does not pass for heartbeats, however slowly it grows") {
  Sum sum;
  for (int i = 0; i < 1000; ++i) sum.pass(200, 200);
  for (int i = 0; i < 36'000; ++i) sum.pass(2000, 0);
  CHECK(sum.pass(0, 0) > 68 * mib);
  // Nor does one that ends from time to time, with the next one right behind it.
  sum.pass(0, sum.arrived);
  for (int hour = 0; hour < 10; ++hour) {
    for (int i = 0; i < 36'000; ++i) sum.pass(100, 0);
    CHECK(sum.pass(0, 0) > 3 * mib);
    sum.pass(0, 36'000 * 100);
    CHECK(sum.pass(0, 0) < mib);
  }
}

// --- real sockets --------------------------------------------------------------------------------

// Writes ZMTP 3.0 without encryption itself, because libzmq sends a message only once it is
// complete.
class ByHand {
 public:
  explicit ByHand(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    std::string greeting("\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL", 16);
    greeting.resize(64);
    const std::string ready(
        "\x05READY\x0bSocket-Type\0\0\0\x06"
        "DEALER\x08Identity\0\0\0\0",
        41);
    REQUIRE(put(greeting));
    REQUIRE(put(std::string("\x04", 1) + static_cast<char>(ready.size()) + ready));
    hear("READY");  // data before that would be taken for a part of the handshake
  }
  ~ByHand() { ::close(socket_); }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  bool frame(std::string_view bytes, bool more) {
    std::string head(1, static_cast<char>(2 | (more ? 1 : 0)));  // a long one
    for (int shift = 56; shift >= 0; shift -= 8)
      head += static_cast<char>((uint64_t{bytes.size()} >> shift) & 0xff);
    return put(head) && put(bytes);
  }
  // How many MiB of one message were sent before the other side disconnected; none if it did not.
  std::optional<int> endless(int most_mib) {
    const std::string part(mib, 'x');
    for (int sent = 1; sent <= most_mib; ++sent) {
      if (!frame(part, true)) return sent;
      pollfd end{socket_, POLLRDHUP, 0};
      if (::poll(&end, 1, 5) > 0) return sent;
    }
    return std::nullopt;
  }

  bool put(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

 private:
  void hear(const std::string& words) {
    std::string heard;
    while (heard.find(words) == std::string::npos) {
      char bytes[256];
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      REQUIRE(count > 0);
      heard.append(bytes, static_cast<size_t>(count));
    }
  }
  const int socket_;
};

std::string greeting_of_1() {
  Encoder encoder;
  const Greeting greeting{.session = 1, .node = {1}, .name = "one", .members = {{1}, {2}}};
  return with_checksum(encoder.encode({.from = {1}}, greeting)).to_string();
}

TEST_CASE("a stranger who sends frames without end is hung up on, and members get through") {
  Member host;
  host.transport = open(host_options(), host.inbox);
  ByHand stranger(host.transport->port());
  const auto sent = stranger.endless(256);
  REQUIRE(sent.has_value());
  CHECK(*sent < 60);
  Member low;
  low.transport = open(options_of(1, {1, 2}, {{2, host.transport->port()}}), low.inbox);
  CHECK(next<PeerSeen>(low.inbox).has_value());
}

TEST_CASE("one among hundreds of silent connections who sends frames without end is hung up on") {
  Member host;
  host.transport = open(host_options(), host.inbox);
  std::vector<std::unique_ptr<ByHand>> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(std::make_unique<ByHand>(host.transport->port()));
  ByHand stranger(host.transport->port());
  CHECK(stranger.endless(1000).has_value());
}

TEST_CASE("a member in clear who sends frames without end is hung up on after 64 MiB") {
  Member host;
  host.transport = open(host_options(), host.inbox);
  ByHand member(host.transport->port());
  REQUIRE(member.frame(greeting_of_1(), false));
  REQUIRE(next<PeerSeen>(host.inbox).has_value());
  const auto sent = member.endless(400);
  REQUIRE(sent.has_value());
  CHECK(*sent > 60);
  const auto lost = next<PeerLost>(host.inbox);
  REQUIRE(lost.has_value());
  CHECK(std::get<PeerLost>(lost->event).why == "it sent 64 MiB that make no whole message");
}

// Sends one message of so many frames of 1 MiB; all frames share one piece of memory.
void say_at_length(zmq::socket_t& socket, int frames) {
  static std::string part(mib, 'x');
  for (int i = 1; i <= frames; ++i) {
    zmq::message_t frame(
        part.data(), part.size(), [](void*, void*) {}, nullptr);
    socket.send(frame, i < frames ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
}

TEST_CASE("a member with a key who sends frames without end is hung up on as well") {
  const KeyScene keys({1, 2});
  Member host;
  ZmqOptions options = host_options();
  options.keys = keys.path();
  options.insecure = false;
  host.transport = open(options, host.inbox);
  const KeyPair own = keys.folder().pair_of({1}).value();
  zmq::context_t context;
  zmq::socket_t member(context, zmq::socket_type::dealer);
  member.set(zmq::sockopt::linger, 0);
  member.set(zmq::sockopt::reconnect_ivl, -1);
  member.set(zmq::sockopt::curve_serverkey, keys.folder().allowed()->key_of({2})->z85);
  member.set(zmq::sockopt::curve_publickey, own.open.z85);
  member.set(zmq::sockopt::curve_secretkey, own.secret);
  member.connect(endpoint("127.0.0.1", host.transport->port()));
  member.send(zmq::buffer(greeting_of_1()), zmq::send_flags::none);
  REQUIRE(next<PeerSeen>(host.inbox).has_value());
  say_at_length(member, 1000);
  const auto lost = next<PeerLost>(host.inbox);
  REQUIRE(lost.has_value());
  CHECK(std::get<PeerLost>(lost->event).why == "it sent 64 MiB that make no whole message");
}

TEST_CASE("who sends far more than 64 MiB in whole messages is listened to") {
  const KeyScene keys({1, 2});
  Member low, high;
  ZmqOptions answering = options_of(2, {1, 2});
  answering.keys = keys.path();
  answering.insecure = false;
  high.transport = open(answering, high.inbox);
  ZmqOptions calling = options_of(1, {1, 2}, {{2, high.transport->port()}});
  calling.keys = keys.path();
  calling.insecure = false;
  low.transport = open(calling, low.inbox);
  REQUIRE(next<PeerSeen>(low.inbox).has_value());
  REQUIRE(next<PeerSeen>(high.inbox).has_value());
  const Body body{.bytes = mib,
                  .write = [](std::span<std::byte> to) { std::memset(to.data(), 7, to.size()); }};
  for (int i = 0; i < 150; ++i) {
    low.transport->send({2}, {.from = {1}}, Piece{}, body);
    const auto item = high.inbox.wait(std::chrono::steady_clock::now() + long_enough);
    REQUIRE(item.has_value());
    REQUIRE(std::holds_alternative<MessageReceived>(item->event));
  }
}

}  // namespace
}  // namespace shingle
