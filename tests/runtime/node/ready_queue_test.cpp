// Which tile is next: loans, deadlines, owners taking turns.
#include "runtime/node/tiles/ready_queue.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

using namespace std::chrono_literals;

ReadyTile tile_of(uint32_t owner, uint64_t frame, uint32_t tile, Time deadline = Time{} + 1h) {
  return {{deadline, {{owner}, 1, frame}, 0, tile}, {tile}, Place::home, deadline < Time{} + 1h};
}

ReadyTile lent(uint32_t owner, uint32_t tile) {
  return {{Time{}, {{owner}, 1, 1}, 0, 0}, {tile}, Place::lent, false};
}

}  // namespace

TEST_CASE("an owner with many frames gets no more of a node than one with few") {
  ReadyQueue queue;
  for (uint32_t tile = 0; tile < 40; ++tile) queue.insert(tile_of(1, 1 + tile / 10, tile));
  for (uint32_t tile = 0; tile < 8; ++tile) queue.insert(tile_of(2, 1, tile));
  int of_first = 0, of_second = 0;
  for (int i = 0; i < 16; ++i) {
    const ReadyTile next = queue.take();
    queue.charge(next, 100);
    ++(next.urgency.frame.owner == NodeId{1} ? of_first : of_second);
  }
  CHECK(of_first == 8);
  CHECK(of_second == 8);
  CHECK(queue.size() == 32);
}

TEST_CASE("turns count work: an owner of large tiles computes fewer of them") {
  ReadyQueue queue;
  for (uint32_t tile = 0; tile < 100; ++tile) {
    queue.insert(tile_of(1, 1, tile));
    queue.insert(tile_of(2, 1, tile));
  }
  int64_t work_of_first = 0, work_of_second = 0;
  for (int i = 0; i < 80; ++i) {
    const ReadyTile next = queue.take();
    const bool first = next.urgency.frame.owner == NodeId{1};
    const int64_t work = first ? 700 : 100;
    queue.charge(next, work);
    (first ? work_of_first : work_of_second) += work;
  }
  CHECK(std::abs(work_of_first - work_of_second) <= 700);
}

TEST_CASE("an owner that was away is served again at once, and not for all that it missed") {
  ReadyQueue queue;
  const auto take = [&] {
    const ReadyTile next = queue.take();
    queue.charge(next, 1);
    return next.urgency.frame.owner.value;
  };
  for (uint32_t tile = 0; tile < 100; ++tile) queue.insert(tile_of(1, 1, tile));
  for (int i = 0; i < 50; ++i) CHECK(take() == 1);
  for (uint32_t tile = 0; tile < 20; ++tile) queue.insert(tile_of(2, 1, tile));
  CHECK(take() == 2);
  int of_first = 0;
  for (int i = 0; i < 10; ++i) of_first += take() == 1 ? 1 : 0;
  CHECK(of_first == 5);
}

TEST_CASE("the earliest deadline comes first, whoever owns it, and before all that has none") {
  ReadyQueue queue;
  queue.insert(tile_of(1, 1, 0));
  queue.insert(tile_of(2, 1, 1, Time{} + 30ms));
  queue.insert(tile_of(3, 1, 2, Time{} + 20ms));
  queue.insert(tile_of(1, 2, 3, Time{} + 25ms));
  std::vector<uint32_t> order;
  while (!queue.empty()) order.push_back(queue.take().tile.value);
  CHECK(order == std::vector<uint32_t>{2, 3, 1, 0});
}

TEST_CASE("a borrowed tile comes first and costs its owner nothing here") {
  ReadyQueue queue;
  queue.insert(tile_of(1, 1, 0, Time{} + 1ms));
  queue.insert(tile_of(2, 1, 1));
  queue.insert(lent(2, 7));
  const ReadyTile first = queue.take();
  CHECK(first.place == Place::lent);
  queue.charge(first, 1'000'000);
  CHECK(queue.take().tile == TileId{0});
  queue.insert(tile_of(1, 2, 5));
  CHECK(queue.take().urgency.frame.owner == NodeId{1});  // both at nothing: the lower id
}

TEST_CASE("what is lent comes from the back of the longest row, and never a loan") {
  ReadyQueue queue;
  queue.insert(lent(1, 9));
  const auto any = [](const ReadyTile&) { return true; };
  CHECK_FALSE(queue.last_if(any));
  queue.insert(tile_of(1, 1, 0, Time{} + 1ms));
  CHECK(queue.last_if(any)->tile == TileId{0});
  for (uint32_t tile = 1; tile < 4; ++tile) queue.insert(tile_of(1, 1, tile));
  queue.insert(tile_of(2, 1, 8));
  CHECK(queue.last_if(any)->tile == TileId{3});
  CHECK(queue.last_if([](const ReadyTile& tile) { return tile.tile.value > 5; })->tile ==
        TileId{8});
}

TEST_CASE("whatever is inserted, erased and taken, sizes add up and every tile comes once") {
  constexpr uint64_t seed = 3;
  CAPTURE(seed);
  networks::Random random(seed);
  for (int run = 0; run < 50; ++run) {
    ReadyQueue queue;
    std::set<ReadyTile> expected;
    for (int i = 0; i < 200; ++i) {
      const auto owner = static_cast<uint32_t>(random.between(1, 4));
      const auto tile = static_cast<uint32_t>(random.between(0, 20));
      const ReadyTile any =
          random.chance(0.2)
              ? lent(owner, tile)
              : tile_of(owner, 1, tile, random.chance(0.3) ? Time{} + 5ms : Time{} + 1h);
      if (random.chance(0.6)) {
        queue.insert(any);
        expected.insert(any);
      } else if (random.chance(0.5)) {
        queue.erase(any);
        expected.erase(any);
      } else if (!queue.empty()) {
        const ReadyTile taken = queue.take();
        queue.charge(taken, random.between(1, 9));
        CHECK(expected.erase(taken) == 1);
      }
      CHECK(queue.size() == expected.size());
      size_t seen = 0;
      queue.visit([&](const ReadyTile& each) { seen += expected.count(each); });
      CHECK(seen == expected.size());
    }
  }
}

}  // namespace shingle
