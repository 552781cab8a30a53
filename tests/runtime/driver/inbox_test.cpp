#include "runtime/driver/inbox.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace shingle {
namespace {

using std::chrono::steady_clock;

Item from_peer(uint32_t peer, uint64_t number, size_t payload_bytes = 0) {
  Item item{.event = MessageReceived{.envelope = {.from = {peer}, .closed_below = number},
                                     .message = Beat{},
                                     .payload_bytes = static_cast<int64_t>(payload_bytes)}};
  auto bytes = std::make_shared<std::vector<std::byte>>(payload_bytes);
  item.payload = {.owner = bytes, .bytes = *bytes};
  return item;
}

Item completion(uint32_t tile) {
  TileComputed computed;
  computed.tile = {tile};
  return {.event = computed};
}

steady_clock::time_point at_once() { return steady_clock::now(); }
steady_clock::time_point much_later() { return steady_clock::now() + std::chrono::seconds(60); }

TEST_CASE("items come out in the order in which they went in") {
  Inbox inbox;
  for (uint32_t i = 0; i < 100; ++i) CHECK(inbox.push(completion(i)));
  for (uint32_t i = 0; i < 100; ++i) {
    const auto item = inbox.wait(at_once());
    REQUIRE(item.has_value());
    CHECK(std::get<TileComputed>(item->event).tile == TileId{i});
  }
  CHECK_FALSE(inbox.wait(at_once()).has_value());
}

TEST_CASE("peers are refused beyond the limits, the node's own completions never are") {
  Inbox inbox({.peer_messages = 6, .peer_bytes = 200});
  CHECK(inbox.push(from_peer(1, 0, 60)));
  CHECK_FALSE(inbox.push(from_peer(1, 1, 41)));
  CHECK(inbox.push(from_peer(1, 2, 40)));
  CHECK(inbox.push(from_peer(1, 3)));
  CHECK_FALSE(inbox.push(from_peer(1, 4)));
  CHECK(inbox.refused() == 2);
  for (uint32_t i = 0; i < 1000; ++i) CHECK(inbox.push(completion(i)));
  CHECK(inbox.push({.event = PeerLost{.peer = {1}, .why = "it sends too much"}}));

  // What was taken makes room.
  REQUIRE(inbox.wait(at_once()).has_value());
  CHECK(inbox.push(from_peer(1, 5, 60)));
  CHECK(inbox.refused() == 2);
}

TEST_CASE("who fills its share of the inbox costs nobody else a message") {
  Inbox inbox({.peer_messages = 1000, .peer_bytes = 1000});
  const auto fill = [&](uint32_t peer, size_t bytes) {
    uint64_t taken = 0;
    while (inbox.push(from_peer(peer, taken, bytes))) ++taken;
    return taken;
  };
  CHECK(fill(1, 0) == 500);  // by count
  CHECK(fill(2, 100) == 5);  // by bytes
  for (uint32_t peer = 3; peer < 6; ++peer) CHECK(inbox.push(from_peer(peer, 0, 100)));
  // Once everything is taken out again, as much fits as at first.
  while (inbox.wait(at_once()).has_value()) {
  }
  CHECK(fill(2, 100) == 5);
}

TEST_CASE("texts and lists of messages count like payloads") {
  Inbox inbox({.peer_messages = 100, .peer_bytes = 2000});
  const auto arrives = [&](Message message) {
    return inbox.push({.event = MessageReceived{
                           .envelope = {}, .message = std::move(message), .payload_bytes = 0}});
  };
  const auto offer = [](size_t letters) {
    PlanOffer plan;
    plan.text = std::string(letters, 'x');
    return plan;
  };
  CHECK(arrives(offer(600)));
  CHECK_FALSE(arrives(offer(401)));
  REQUIRE(inbox.wait(at_once()).has_value());
  CHECK(arrives(offer(1000)));
  REQUIRE(inbox.wait(at_once()).has_value());

  FrameOpen open;
  open.audits.resize(80);
  open.excluded.resize(40);
  CHECK(arrives(open));  // 800 bytes
  CHECK_FALSE(arrives(open));
  Failed failed;
  PlanReady refused;
  Hello hello;
  failed.why = refused.why_not = hello.name = std::string(201, 'x');
  CHECK_FALSE(arrives(failed));
  CHECK_FALSE(arrives(refused));
  CHECK_FALSE(arrives(hello));
  CHECK_FALSE(arrives(StealRequest{std::vector<uint64_t>(26)}));
  CHECK(arrives(Beat{}));
}

TEST_CASE("a closed inbox gives out what it holds and takes nothing more") {
  Inbox inbox;
  inbox.push(completion(1));
  inbox.close();
  CHECK(inbox.closed());
  CHECK_FALSE(inbox.push(completion(2)));
  CHECK(inbox.wait(much_later()).has_value());
  CHECK_FALSE(inbox.wait(much_later()).has_value());
}

TEST_CASE("closing wakes whoever waits") {
  Inbox inbox;
  std::thread waiter([&] { CHECK_FALSE(inbox.wait(much_later()).has_value()); });
  inbox.close();
  waiter.join();
}

//   peer 1 --.
//   peer 2 --+--> inbox --> one taker: everything once, each thread's items in its order
//   slot 3 --'
TEST_CASE("several threads push while one takes, and nothing is lost, doubled or reordered") {
  constexpr uint32_t threads = 4;
  constexpr uint64_t each = 5'000;
  Inbox inbox({.peer_messages = 2 * threads * each, .peer_bytes = 1 << 30});
  std::vector<std::thread> pushers;
  for (uint32_t peer = 0; peer < threads; ++peer)
    pushers.emplace_back([&inbox, peer] {
      for (uint64_t i = 0; i < each; ++i) inbox.push(from_peer(peer, i, i % 64));
    });
  std::vector<uint64_t> expected(threads, 0);
  for (uint64_t taken = 0; taken < threads * each; ++taken) {
    const auto item = inbox.wait(much_later());
    REQUIRE(item.has_value());
    const auto& received = std::get<MessageReceived>(item->event);
    uint64_t& next = expected[received.envelope.from.value];
    REQUIRE(received.envelope.closed_below == next);
    REQUIRE(item->payload.bytes.size() == next % 64);
    ++next;
  }
  for (std::thread& pusher : pushers) pusher.join();
  CHECK_FALSE(inbox.wait(at_once()).has_value());
  CHECK(inbox.refused() == 0);
}

}  // namespace
}  // namespace shingle
