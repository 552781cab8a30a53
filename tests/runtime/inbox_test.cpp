#include "runtime/inbox.hpp"

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
  Inbox inbox({.peer_messages = 3, .peer_bytes = 100});
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

TEST_CASE("the text of an offered plan counts like a payload") {
  Inbox inbox({.peer_messages = 10, .peer_bytes = 100});
  const auto offer = [](size_t letters) {
    PlanOffer plan;
    plan.text = std::string(letters, 'x');
    return Item{.event = MessageReceived{.envelope = {}, .message = plan, .payload_bytes = 0}};
  };
  CHECK(inbox.push(offer(60)));
  CHECK_FALSE(inbox.push(offer(41)));
  REQUIRE(inbox.wait(at_once()).has_value());
  CHECK(inbox.push(offer(100)));
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
  Inbox inbox({.peer_messages = threads * each, .peer_bytes = 1 << 30});
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
