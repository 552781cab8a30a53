// Peers that are no members, and members that break the protocol.
#include <doctest/doctest.h>

#include <atomic>
#include <zmq.hpp>

#include "tests/transport/members.hpp"
#include "tests/transport/messages.hpp"
#include "transport/codec/codec.hpp"
#include "transport/codec/frame_checksum.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {
namespace {

using networks::Random;
using testing::long_enough;
using testing::Member;
using testing::next;
using testing::open;
using testing::options_of;
using testing::random_message;

// A peer that speaks ZeroMQ but follows no other rule.
class Stranger {
 public:
  explicit Stranger(uint16_t port) : socket_(context_, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 20'000);
    socket_.connect("tcp://127.0.0.1:" + std::to_string(port));
  }
  void say(const std::vector<std::string>& frames) {
    for (size_t i = 0; i < frames.size(); ++i)
      socket_.send(zmq::buffer(frames[i]),
                   i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  void say(std::span<const std::byte> header) {
    socket_.send(with_checksum(header), zmq::send_flags::none);
  }
  std::string answer() {  // the reason of a refusal
    zmq::message_t frame;
    if (!socket_.recv(frame)) return "nothing";
    const auto packet = Decoder().decode({frame.data<std::byte>(), frame.size()}, 0);
    const auto* refused = packet ? std::get_if<Refusal>(&packet->content) : nullptr;
    return refused != nullptr ? refused->why : "no refusal";
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
};

Greeting greeting_of(uint32_t id) {
  return {.session = 1, .node = {id}, .name = "stranger", .members = {{1}, {2}}};
}

TEST_CASE("a greeting that does not fit is answered with the reason") {
  Member host;
  host.transport = open(options_of(2, {1, 2}), host.inbox);
  const auto answer = [&](const Greeting& greeting) {
    Stranger stranger(host.transport->port());
    Encoder encoder;
    stranger.say(encoder.encode({}, greeting));
    return stranger.answer();
  };
  Greeting old = greeting_of(1);
  old.version = 99;
  CHECK(answer(old) == "node 1 (stranger) speaks protocol version 99, node 2 (member 2) speaks " +
                           std::to_string(protocol_version) +
                           ": install the "
                           "same shingle on both");
  CHECK(answer(greeting_of(2)).find("has the id of node 2") != std::string::npos);
  CHECK(answer(greeting_of(9)).find("is not a member") != std::string::npos);
  Greeting upside_down = greeting_of(3);
  upside_down.members = {{1}, {2}, {3}};
  CHECK(answer(upside_down).find("is not a member") != std::string::npos);
}

// The greeting of version 6: node 1 of 1 and 2, "porch". Its envelope and its keys have another
// layout.
constexpr std::string_view greeting_of_version_6 =
    "180000005348474c0000000000000a003e000800070038000a00000000000001010000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000001400000000000e00"
    "1c000400140008000c0010000e00000006000000010000001c0000000c000000887766554433221102000000"
    "010000000200000005000000706f726368000000";

std::vector<std::byte> bytes_of(std::string_view digits) {
  std::vector<std::byte> bytes;
  for (size_t at = 0; at < digits.size(); at += 2)
    bytes.push_back(
        static_cast<std::byte>(std::stoul(std::string(digits.substr(at, 2)), nullptr, 16)));
  return bytes;
}

TEST_CASE("a node of version 6 is told to install the same version, and so are its people") {
  std::vector<std::string> notes;
  Member host;
  ZmqOptions options = options_of(2, {1, 2});
  options.on_note = [&](const std::string& note) { notes.push_back(note); };
  host.transport = open(options, host.inbox);
  Stranger stranger(host.transport->port());
  stranger.say(bytes_of(greeting_of_version_6));
  const std::string sentence =
      "node 1 (porch) speaks protocol version 6, node 2 (member 2) speaks 7: install the same "
      "shingle on both";
  CHECK(stranger.answer() == sentence);
  host.transport.reset();  // its thread ends, so the note that follows the answer is written
  CHECK(notes == std::vector<std::string>{"A connection was refused: " + sentence + "."});
}

TEST_CASE("strangers without a greeting get nowhere, and members still get through") {
  Member high;
  high.transport = open(options_of(2, {1, 2}), high.inbox);
  const uint16_t port = high.transport->port();
  Random random(11);
  Stranger stranger(port);
  Encoder encoder;
  stranger.say({"hello?"});
  stranger.say({std::string(1, '\0')});
  stranger.say({"a", "b", "c", "d"});
  stranger.say({std::string("\x04\0\0\0SHGL", 8)});
  stranger.say(encoder.encode({.from = {1}}, random_message(random, 0)));
  stranger.say({""});
  Member low;
  low.transport = open(options_of(1, {1, 2}, {{2, port}}), low.inbox);
  REQUIRE(next<PeerSeen>(low.inbox).has_value());
  low.transport->send({2}, {.from = {1}}, Grant{}, {});
  const auto grant = next<MessageReceived>(high.inbox);
  REQUIRE(grant.has_value());
  CHECK(std::holds_alternative<Grant>(std::get<MessageReceived>(grant->event).message));
}

TEST_CASE("whoever speaks on a connection that is not up is told to greet") {
  Member host;
  host.transport = open(options_of(2, {1, 2}), host.inbox);
  Stranger stranger(host.transport->port());
  Encoder encoder;
  stranger.say(encoder.encode({.from = {1}}, Message(Beat{})));
  CHECK(stranger.answer() == "it has to greet before it speaks");
}

// A stranger who greets as node 1 and is let in.
TEST_CASE("whoever breaks the protocol after its greeting loses the connection") {
  Encoder encoder;
  const std::string forged =
      with_checksum(encoder.encode({.from = {7}}, Message(Beat{}))).to_string();
  const std::vector<std::vector<std::string>> breaches{
      {"rubbish"}, {forged}, {forged, "payload", "and more"}};
  for (const std::vector<std::string>& breach : breaches) {
    Member host;
    host.transport = open(options_of(2, {1, 2}), host.inbox);
    Stranger stranger(host.transport->port());
    stranger.say(encoder.encode({.from = {1}}, greeting_of(1)));
    REQUIRE(next<PeerSeen>(host.inbox).has_value());
    stranger.say(breach);
    CHECK(next<PeerLost>(host.inbox).has_value());
    CHECK(host.transport->counters().refused == 1);
  }
}

TEST_CASE("a member that comes and goes without end does not fill the log") {
  Member host;
  std::atomic<int> notes{0};
  ZmqOptions options = options_of(2, {1, 2});
  options.on_note = [&](const std::string&) { ++notes; };
  host.transport = open(options, host.inbox);
  Encoder encoder;
  const auto begin = std::chrono::steady_clock::now();
  int let_in = 0;
  for (int i = 0; i < 200; ++i) {
    Stranger member(host.transport->port());
    member.say(encoder.encode({.from = {1}}, greeting_of(1)));
    const std::string answer = member.answer();
    if (answer == "no refusal")
      ++let_in;
    else
      CHECK(answer == "it dials more often than anybody has reason to");
  }
  host.transport.reset();
  const auto seconds =
      std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
  CHECK(let_in <= 40 + 20 * seconds);
  CHECK(notes <= 10 + 2 * seconds);  // of its connections, and of those refused
}

TEST_CASE("a message with one wrong bit is never taken in, and its sender is told why") {
  Encoder encoder;
  const std::string payload = "the elements of a box";
  const std::string header = with_checksum(encoder.encode({.from = {1}}, Message(Piece{})),
                                           std::as_bytes(std::span(payload)))
                                 .to_string();
  for (const bool in_header : {false, true}) {
    Member host;
    host.transport = open(options_of(2, {1, 2}), host.inbox);
    Stranger sender(host.transport->port());
    sender.say(encoder.encode({.from = {1}}, greeting_of(1)));
    REQUIRE(next<PeerSeen>(host.inbox).has_value());
    CHECK(sender.answer() == "no refusal");  // but a greeting
    sender.say({header, payload});
    CHECK(next<MessageReceived>(host.inbox).has_value());

    std::string corrupted_header = header, corrupted_payload = payload;
    (in_header ? corrupted_header : corrupted_payload)[7] ^= 0x10;
    sender.say({corrupted_header, corrupted_payload});

    const auto lost = host.inbox.wait(std::chrono::steady_clock::now() + long_enough);
    REQUIRE(lost.has_value());
    CHECK(std::holds_alternative<PeerLost>(lost->event));  // and no message before it
    CHECK(host.transport->counters().corrupted == 1);
    CHECK(sender.answer() ==
          "it sent a message that was corrupted on its way: its checksum is wrong");
  }
}

TEST_CASE("bytes that are not ZeroMQ at all, and endless frames, do no harm") {
  Member high;
  high.transport = open(options_of(2, {1, 2}), high.inbox);
  zmq::context_t context;
  zmq::socket_t raw(context, zmq::socket_type::stream);
  raw.set(zmq::sockopt::linger, 0);
  raw.connect("tcp://127.0.0.1:" + std::to_string(high.transport->port()));
  zmq::message_t id, greeting;
  REQUIRE(raw.recv(id));
  REQUIRE(raw.recv(greeting));
  raw.send(zmq::buffer(id.data(), id.size()), zmq::send_flags::sndmore);
  raw.send(zmq::str_buffer("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), zmq::send_flags::none);
  Stranger endless(high.transport->port());
  endless.say(std::vector<std::string>(10'000, "x"));
  Member low;
  low.transport = open(options_of(1, {1, 2}, {{2, high.transport->port()}}), low.inbox);
  CHECK(next<PeerSeen>(low.inbox).has_value());
}

}  // namespace
}  // namespace shingle
