// Who is let in, and what others can read, on real sockets of the loopback with real keys.
#include <doctest/doctest.h>

#include <cstring>
#include <zmq.hpp>

#include "tests/transport/guarded.hpp"
#include "tests/transport/zmq/tap.hpp"
#include "transport/codec/codec.hpp"
#include "transport/codec/frame_checksum.hpp"
#include "transport/zmq/endpoint.hpp"
#include "transport/zmq/monitor.hpp"

namespace shingle {
namespace {

using testing::dialling;
using testing::Guarded;
using testing::KeyScene;
using testing::long_enough;
using testing::Member;
using testing::next;
using testing::Notes;
using testing::options_of;
using testing::Tap;

Body body_of(const std::string& text) {
  return {text.size(), [&text](std::span<std::byte> wire) {
            std::memcpy(wire.data(), text.data(), text.size());
          }};
}

constexpr const char* secret_words = "nobody else on this wire may read these words";

// What a tap between members 1 and 2 records while 1 sends a payload to 2.
std::string overheard(const KeyScene* keys) {
  Member answering, calling;
  const auto open = [&](ZmqOptions options, Member& member) {
    if (keys != nullptr) options.keys = keys->path(), options.insecure = false;
    member.transport = std::move(ZmqTransport::open(std::move(options), member.inbox)).value();
  };
  open(options_of(2, {1, 2}), answering);
  Tap tap(answering.transport->port());
  open(dialling(1, {1, 2}, 2, tap.port()), calling);
  REQUIRE(next<PeerSeen>(calling.inbox).has_value());
  const std::string words(secret_words);
  calling.transport->send({2}, {.from = {1}}, Piece{}, body_of(words));
  const auto item = next<MessageReceived>(answering.inbox);
  REQUIRE(item.has_value());
  REQUIRE(item->payload.bytes.size() == words.size());
  CHECK(std::memcmp(item->payload.bytes.data(), words.data(), words.size()) == 0);
  return tap.heard();
}

TEST_CASE("nobody on the wire can read what members with keys say") {
  const KeyScene keys({1, 2});
  const std::string in_clear = overheard(nullptr), guarded = overheard(&keys);
  // Without keys the tap records everything.
  CHECK(in_clear.find(secret_words) != std::string::npos);
  CHECK(in_clear.find("SHGL") != std::string::npos);
  CHECK(guarded.size() > std::strlen(secret_words));
  CHECK(guarded.find(secret_words) == std::string::npos);
  CHECK(guarded.find("SHGL") == std::string::npos);
}

// A process that is no member and speaks ZeroMQ: with a key of its own, or without any.
struct Stranger {
  Stranger(uint16_t port, const PublicKey* server) : socket(context, zmq::socket_type::dealer) {
    socket.set(zmq::sockopt::linger, 0);
    if (server != nullptr) {
      const KeyPair own = new_key_pair();
      socket.set(zmq::sockopt::curve_serverkey, server->z85);
      socket.set(zmq::sockopt::curve_publickey, own.open.z85);
      socket.set(zmq::sockopt::curve_secretkey, own.secret);
    }
    monitor = Monitor::open(context, socket, "stranger").value();
    socket.connect(endpoint("127.0.0.1", port));
    // It greets as member 1 would.
    Encoder encoder;
    const auto header =
        encoder.encode({.from = {1}}, Greeting{.node = {1}, .name = "one", .members = {{1}, {2}}});
    socket.send(with_checksum(header), zmq::send_flags::none);
  }
  ConnectionEvent::Kind fate() {
    zmq_pollitem_t polled{monitor->socket().handle(), 0, ZMQ_POLLIN, 0};
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(long_enough).count();
    while (true) {
      REQUIRE(zmq_poll(&polled, 1, ms) == 1);
      const auto event = monitor->next();
      if (event && event->kind != ConnectionEvent::Kind::opened) return event->kind;
    }
  }
  bool hears_anything() {
    zmq::message_t message;
    return socket.recv(message, zmq::recv_flags::dontwait).has_value();
  }
  zmq::context_t context;
  zmq::socket_t socket;
  std::unique_ptr<Monitor> monitor;
};

TEST_CASE("a stranger hears nothing, with a key that is not in the list or with none") {
  const KeyScene keys({1, 2});
  Guarded node(keys, options_of(2, {1, 2}));
  const PublicKey server = *keys.folder().allowed()->key_of({2});
  Stranger keyed(node.port(), &server);
  CHECK(keyed.fate() == ConnectionEvent::Kind::refused);
  CHECK(node.notes.mention("A stranger at 127.0.0.1 was not let in"));
  Stranger plain(node.port(), nullptr);
  CHECK(plain.fate() != ConnectionEvent::Kind::connected);
  CHECK_FALSE(keyed.hears_anything());
  CHECK_FALSE(plain.hears_anything());
  CHECK(node.transport->counters().messages_received == 0);
  // The real member can still connect.
  Guarded member(keys, dialling(1, {1, 2}, 2, node.port()));
  CHECK(next<PeerSeen>(member.inbox).has_value());
}

// A port that nobody listened on a moment ago.
uint16_t free_port() {
  Inbox inbox;
  return std::move(ZmqTransport::open(options_of(9, {9}), inbox)).value()->port();
}

TEST_CASE("strangers who call before a node opens its port come in no sooner than others") {
  const KeyScene keys({1, 2});
  const PublicKey server = *keys.folder().allowed()->key_of({2});
  ZmqOptions options = options_of(2, {1, 2});
  options.port = free_port();
  std::vector<std::unique_ptr<Stranger>> waiting;
  for (int i = 0; i < 8; ++i) waiting.push_back(std::make_unique<Stranger>(options.port, &server));
  Guarded node(keys, options);
  for (const auto& stranger : waiting) {
    CHECK(stranger->fate() == ConnectionEvent::Kind::refused);
    CHECK_FALSE(stranger->hears_anything());
  }
  CHECK(node.transport->counters().messages_received == 0);
}

// A connection that sends the begin of ZeroMQ's greeting and then nothing.
struct HalfSaid {
  explicit HalfSaid(uint16_t port) : socket(context, zmq::socket_type::stream) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvtimeo,
               static_cast<int>(
                   std::chrono::duration_cast<std::chrono::milliseconds>(long_enough).count()));
    socket.connect(endpoint("127.0.0.1", port));
    zmq::message_t id, nothing;
    REQUIRE(socket.recv(id));
    REQUIRE(socket.recv(nothing));
    socket.send(id, zmq::send_flags::sndmore);
    socket.send(zmq::str_buffer("\xff\0\0\0\0\0\0\0\x01\x7f"), zmq::send_flags::none);
  }
  // ZeroMQ reports the end of the connection by an empty message.
  bool is_hung_up_on() {
    zmq::message_t id, heard;
    while (socket.recv(id) && socket.recv(heard))
      if (heard.size() == 0) return true;
    return false;
  }
  zmq::context_t context;
  zmq::socket_t socket;
};

TEST_CASE("what a node says of itself is heard by its peers, and by them alone") {
  const KeyScene keys({1, 2, 3});
  ZmqOptions answering = options_of(2, {1, 2, 3});
  answering.about = "fast, with 4 cores";
  Guarded node(keys, answering);
  ZmqOptions calling = dialling(1, {1, 2, 3}, 2, node.port());
  calling.about = "a camera";
  Guarded member(keys, calling);
  REQUIRE(next<PeerSeen>(node.inbox).has_value());
  REQUIRE(next<PeerSeen>(member.inbox).has_value());
  CHECK(member.transport->about({2}) == "fast, with 4 cores");
  CHECK(node.transport->about({1}) == "a camera");
  CHECK_FALSE(node.transport->about({3}).has_value());
  node.transport.reset();
  REQUIRE(next<PeerLost>(member.inbox).has_value());
  CHECK_FALSE(member.transport->about({2}).has_value());
}

TEST_CASE("who says half a greeting and then nothing is hung up on") {
  const KeyScene keys({1, 2});
  ZmqOptions hurried = options_of(2, {1, 2});
  hurried.greeting_allowed = std::chrono::milliseconds(200);
  Guarded node(keys, hurried);
  HalfSaid call(node.port());
  CHECK(call.is_hung_up_on());
  CHECK(node.transport->counters().messages_received == 0);
}

TEST_CASE("a member cannot take another's name") {
  const KeyScene keys({1, 2, 3});
  Guarded node(keys, options_of(3, {1, 2, 3}));
  // Node 1 with node 2's name: the cluster file says 2, the key is 1's.
  const KeyScene forged({});
  Allowed list = keys.folder().allowed().value();
  const KeyPair pair = keys.folder().pair_of({1}).value();
  REQUIRE(list.remove({1}));
  REQUIRE(list.remove({2}));
  REQUIRE(list.add({2}, pair.open));
  REQUIRE(forged.folder().save(list).ok());
  REQUIRE(forged.folder().save({2}, pair).ok());
  Guarded liar(forged, dialling(2, {1, 2, 3}, 3, node.port()));
  CHECK(liar.notes.mention("node 1 says that it is node 2 (member 2)"));
}

TEST_CASE("who dials a machine with another key than the list's gets no connection") {
  const KeyScene keys({1, 2}), others({1, 2});
  Guarded impostor(others, options_of(2, {1, 2}));
  Guarded member(keys, dialling(1, {1, 2}, 2, impostor.port()));
  CHECK(member.notes.mention("has another key than"));
}

TEST_CASE("a member with keys and one without say so") {
  const KeyScene keys({1, 2});
  Guarded guarded(keys, options_of(2, {1, 2}));
  Notes notes;
  Member open;
  ZmqOptions options = dialling(1, {1, 2}, 2, guarded.port());
  options.on_note = notes.listener();
  open.transport = std::move(ZmqTransport::open(options, open.inbox)).value();
  CHECK(notes.mention("it may have keys, and this node runs --insecure"));
}

TEST_CASE("a peer that sends more messages than it may loses its connection") {
  const KeyScene keys({1, 2});
  ZmqOptions strict = options_of(2, {1, 2});
  strict.messages_allowed = 50.0;
  Guarded node(keys, strict);
  Guarded member(keys, dialling(1, {1, 2}, 2, node.port()));
  REQUIRE(next<PeerSeen>(member.inbox).has_value());
  for (int i = 0; i < 200; ++i) member.transport->send({2}, {.from = {1}}, Beat{}, {});
  const auto lost = next<PeerLost>(member.inbox);
  REQUIRE(lost.has_value());
  CHECK(std::get<PeerLost>(lost->event).why == "it sends more messages than any node has use for");
  CHECK(node.transport->counters().messages_received < 200);
}

TEST_CASE("without keys a node opens only if it is told to do without") {
  Inbox inbox;
  ZmqOptions options = options_of(1, {1});
  options.insecure = false;
  const auto none = ZmqTransport::open(options, inbox);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().find("'shingle keys init'") != std::string::npos);
  CHECK(none.error().find("--insecure") != std::string::npos);
  const KeyScene keys({2});
  options.keys = keys.path();
  const auto foreign = ZmqTransport::open(options, inbox);
  REQUIRE_FALSE(foreign.ok());
  CHECK(foreign.error().find("no key of node 1") != std::string::npos);
  options.insecure = true;
  CHECK(ZmqTransport::open(options, inbox).ok());
}

}  // namespace
}  // namespace shingle
