#include <doctest/doctest.h>

#include "runtime/node/node_link.hpp"

namespace shingle {
namespace {

Outgoing piece(int64_t deadline_ms, uint32_t block, uint64_t order, int64_t bytes,
               uint64_t frame = 1) {
  Outgoing outgoing;
  outgoing.urgency = {
      Time{} + std::chrono::milliseconds(deadline_ms), {NodeId{0}, 1, frame}, block, order};
  outgoing.piece.key = outgoing.urgency.frame;
  outgoing.piece.index = static_cast<uint32_t>(order);
  outgoing.bytes = bytes;
  return outgoing;
}

Link link_with_credit(int64_t bytes) {
  Link link;
  link.begin(bytes, 1'000'000);
  return link;
}

TEST_CASE("an urgent strip overtakes the next frame's crops") {
  Link link = link_with_credit(1000);
  link.enqueue(piece(200, 0, 0, 400, 2), 0);
  link.enqueue(piece(200, 0, 1, 400, 2), 1);
  link.enqueue(piece(100, 3, 7, 400, 1), 2);

  CHECK(link.take({})->piece.key.frame == 1);
  CHECK(link.take({})->piece.key.frame == 2);
  CHECK_FALSE(link.take({}).has_value());
}

TEST_CASE("pieces of one urgency leave in the order in which they came") {
  Link link = link_with_credit(1000);
  for (uint32_t index = 0; index < 5; ++index) {
    Outgoing outgoing = piece(1, 0, 0, 10);
    outgoing.piece.index = index;
    link.enqueue(outgoing, index);
  }
  for (uint32_t index = 0; index < 5; ++index) CHECK(link.take({})->piece.index == index);
}

TEST_CASE("of two links' pieces of one urgency the one that came first goes first") {
  Link first = link_with_credit(1000), second = link_with_credit(1000);
  second.enqueue(piece(1, 0, 0, 10), 4);
  first.enqueue(piece(1, 0, 0, 10), 5);
  CHECK(second.goes_before(first));
  first.enqueue(piece(0, 0, 0, 10), 6);
  CHECK(first.goes_before(second));
}

TEST_CASE("no more than the credit is in flight, and what was taken in makes room") {
  Link link = link_with_credit(1000);
  for (uint64_t i = 0; i < 4; ++i) link.enqueue(piece(1, 0, 0, 400), i);
  CHECK(link.take({}).has_value());
  CHECK(link.take({}).has_value());
  CHECK_FALSE(link.take({}).has_value());
  CHECK(link.in_flight_bytes() == 800);

  CHECK(link.acknowledge(400, {}));
  CHECK(link.take({}).has_value());
  CHECK_FALSE(link.take({}).has_value());
}

TEST_CASE("a piece larger than the credit goes alone") {
  Link link = link_with_credit(100);
  link.enqueue(piece(1, 0, 0, 400), 0);
  link.enqueue(piece(1, 0, 1, 10), 1);
  CHECK(link.take({})->bytes == 400);
  CHECK_FALSE(link.take({}).has_value());
  CHECK(link.in_flight_limit_breaches() == 0);
  CHECK(link.acknowledge(400, {}));
  CHECK(link.take({})->bytes == 10);
}

TEST_CASE("a peer cannot take in more than was sent, nor less than before") {
  Link link = link_with_credit(1000);
  link.enqueue(piece(1, 0, 0, 400), 0);
  link.take({});
  CHECK_FALSE(link.acknowledge(401, {}));
  CHECK(link.acknowledge(400, {}));
  CHECK_FALSE(link.acknowledge(399, {}));
  CHECK(link.in_flight_bytes() == 0);
}

TEST_CASE("the link's rate follows what was acknowledged over time") {
  Link link = link_with_credit(1000);
  const auto at = [](int64_t ms) { return Time{} + std::chrono::milliseconds(ms); };
  uint64_t taken_in = 0;
  for (int i = 0; i < 40; ++i) {  // 500 bytes every 5 ms: 100 kB/s
    link.enqueue(piece(1, 0, 0, 500), taken_in);
    link.take(at(i * 5));
    link.acknowledge(taken_in += 500, at(i * 5 + 5));
  }
  CHECK(link.bytes_per_second() > 95'000);
  CHECK(link.bytes_per_second() < 105'000);
}

TEST_CASE("acknowledgements that come all at once make no link fast") {
  Link link = link_with_credit(64'000);
  const auto at = [](int64_t us) { return Time{} + std::chrono::microseconds(us); };
  for (uint64_t i = 0; i < 4; ++i) link.enqueue(piece(1, 0, i, 10'000), i);
  while (link.take(at(0))) continue;
  link.acknowledge(10'000, at(10'000));
  for (uint64_t i = 2; i <= 4; ++i)
    link.acknowledge(i * 10'000, at(10'000 + static_cast<int64_t>(i)));
  CHECK(link.bytes_per_second() <= 1'000'000);
}

TEST_CASE("a beat that acknowledges nothing new makes no idle link slow") {
  Link link = link_with_credit(64'000);
  link.enqueue(piece(1, 0, 0, 20'000), 0);
  link.take({});
  CHECK(link.acknowledge(20'000, Time{} + std::chrono::milliseconds(2)));  // too soon to measure
  CHECK(link.acknowledge(20'000, Time{} + std::chrono::milliseconds(90)));
  CHECK(link.bytes_per_second() == 1'000'000);
}

TEST_CASE("a closed frame's pieces are forgotten, others stay") {
  Link link = link_with_credit(1000);
  link.enqueue(piece(1, 0, 0, 10, 1), 0);
  link.enqueue(piece(1, 0, 0, 10, 2), 1);
  link.drop_if([](const Outgoing& outgoing) { return outgoing.piece.key.frame == 1; });
  CHECK(link.size() == 1);
  CHECK(link.take({})->piece.key.frame == 2);
}

TEST_CASE("a port's credit is 4 ms of its rate, never so little that the wire would idle") {
  CHECK(port_credit_bytes(12'500'000) == 50'000);
  CHECK(port_credit_bytes(100'000) == 16 * 1024);
  CHECK(port_credit_bytes(2'000'000'000) == 1024 * 1024);
}

TEST_CASE("8 KiB in 4 ms are enough to measure a link by, and less of either is not") {
  const auto measured = [](int64_t bytes, int64_t us) {
    Link link = link_with_credit(1 << 20);
    link.enqueue(piece(1, 0, 0, bytes), 0);
    link.take({});
    CHECK(link.acknowledge(static_cast<uint64_t>(bytes), Time{} + std::chrono::microseconds(us)));
    return link.bytes_per_second();
  };
  CHECK(measured(8192, 4000) == 1'262'000);  // a quarter of the new rate
  CHECK(measured(8191, 4000) == 1'000'000);
  CHECK(measured(8192, 3999) == 1'000'000);
}

TEST_CASE("what is in flight may use the credit to its last byte") {
  Link link = link_with_credit(800);
  for (uint64_t i = 0; i < 2; ++i) link.enqueue(piece(1, 0, i, 400), i);
  CHECK(link.take({}).has_value());
  CHECK(link.take({}).has_value());
}

TEST_CASE("the rate of a link that is never idle is measured anew each time") {
  Link link = link_with_credit(64'000);
  const auto at = [](int64_t ms) { return Time{} + std::chrono::milliseconds(ms); };
  for (uint64_t i = 0; i < 4; ++i) link.enqueue(piece(1, 0, i, 10'000), i);
  while (link.take(at(0))) continue;
  for (uint64_t i = 1; i <= 4; ++i) {
    link.acknowledge(i * 10'000, at(static_cast<int64_t>(i) * 10));
    CHECK(link.bytes_per_second() == 1'000'000);
  }
}

}  // namespace
}  // namespace shingle
