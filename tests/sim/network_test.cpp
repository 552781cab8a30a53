#include <doctest/doctest.h>

#include "clusters.hpp"

namespace shingle::sim {
namespace {

using std::chrono::milliseconds;

NetworkOptions slow_network() {
  return {.latency = milliseconds(1),
          .bytes_per_second = 1'000'000,
          .loss = 0.0,
          .retransmission = milliseconds(200)};
}

TEST_CASE("a message takes its transmission, the latency, and its transmission again") {
  Network network(slow_network(), 1);
  const Time at_port = network.cross(NodeId{0}, NodeId{1}, 2000, at_ms(0));
  CHECK(at_port == at_ms(3));
  CHECK(network.enter(NodeId{1}, 2000, at_port) == at_ms(5));
}

TEST_CASE("a port sends and receives one message after the other") {
  Network network(slow_network(), 1);
  CHECK(network.cross(NodeId{0}, NodeId{1}, 1000, at_ms(0)) == at_ms(2));
  CHECK(network.cross(NodeId{0}, NodeId{2}, 1000, at_ms(0)) == at_ms(3));
  CHECK(network.enter(NodeId{3}, 4000, at_ms(10)) == at_ms(14));
  CHECK(network.enter(NodeId{3}, 1000, at_ms(11)) == at_ms(15));
}

TEST_CASE("a slow port slows its own node only") {
  Network network(slow_network(), 1);
  network.set_rate(NodeId{2}, 100'000);
  CHECK(network.enter(NodeId{1}, 1000, at_ms(0)) == at_ms(1));
  CHECK(network.enter(NodeId{2}, 1000, at_ms(0)) == at_ms(10));
}

TEST_CASE("losses delay, they never reorder a connection") {
  NetworkOptions options = slow_network();
  options.loss = 0.3;
  Network network(options, 7);
  Time last{};
  int late = 0;
  for (int i = 0; i < 200; ++i) {
    const Time sent = at_ms(i * 500);
    const Time arrival = network.cross(NodeId{0}, NodeId{1}, 100, sent);
    CHECK(arrival >= last);
    late += arrival > sent + milliseconds(150) ? 1 : 0;
    last = arrival;
  }
  CHECK(late > 30);
  CHECK(late < 120);
}

TEST_CASE("things planned for one time happen in the order of planning") {
  EventQueue<int> queue;
  queue.push(at_ms(5), 1);
  queue.push(at_ms(1), 2);
  queue.push(at_ms(5), 3);
  queue.push(at_ms(3), 4);
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.take());
  CHECK(order == std::vector<int>{2, 4, 1, 3});
  CHECK(queue.now() == at_ms(5));
}

}  // namespace
}  // namespace shingle::sim
