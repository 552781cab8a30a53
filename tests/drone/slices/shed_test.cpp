// What is left out under load: in which order, how much, and for how long.
#include "apps/drone/slices/shed.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

// A source with `interval` seconds between pictures, and a cluster that takes so long for one at
// level 0. A picture of which fewer slices are computed takes less.
class Queue {
 public:
  explicit Queue(const ShedChoices& choices) : shed(choices) {}

  void run(double until, double interval, double cost, Dice* dice = nullptr) {
    while (came_ < until) {
      const double jitter = dice == nullptr ? 1.0 : 0.5 + dice->unit();
      came_ += interval;
      const double begins = std::max(came_, free_);
      const bool is_overtaken = begins > came_ + interval;
      shed.see(begins, {.is_overtaken = is_overtaken});
      highest = std::max(highest, shed.number());
      changes += shed.number() != last_ ? 1 : 0;
      last_ = shed.number();
      if (shed.level().newest_only && is_overtaken) {
        ++left_out;
        continue;
      }
      longest_wait = std::max(longest_wait, begins - came_);
      last_wait = begins - came_;
      free_ = begins + cost * jitter * shed.level().slice_share;
      ++begun;
    }
  }

  ShedControl shed;
  size_t highest = 0, changes = 0, left_out = 0, begun = 0;
  double longest_wait = 0.0, last_wait = 0.0;

 private:
  double came_ = 0.0, free_ = 0.0;
  size_t last_ = 0;
};

}  // namespace

TEST_CASE("slices go first, then masks, then pictures; what there is not is skipped") {
  const auto levels = [](const ShedChoices& choices) {
    ShedControl shed(choices);
    std::vector<ShedLevel> all{shed.level()};
    for (int i = 0; i < 100; ++i) {
      shed.see(i * 0.1, {.is_overtaken = true});
      if (!(shed.level() == all.back())) all.push_back(shed.level());
    }
    return all;
  };
  const auto all = levels({.slices = true, .masks = true});
  REQUIRE(all.size() == 7);
  CHECK(all.front() == ShedLevel{});
  for (size_t i = 1; i < all.size(); ++i) {
    CHECK(all[i].slice_share <= all[i - 1].slice_share);
    CHECK(all[i].mask_factor >= all[i - 1].mask_factor);
    if (all[i].mask_factor > 1) CHECK(all[i].slice_share == all.back().slice_share);
    CHECK(all[i].newest_only == (i + 1 == all.size()));
  }
  CHECK(levels({.masks = true}).size() == 4);
  REQUIRE(levels({}).size() == 2);
  CHECK(levels({}).back().newest_only);
}

TEST_CASE("nothing is left out while the cluster keeps up") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    Queue queue({.slices = true, .masks = true});
    queue.run(60.0, 0.04, 0.025, &dice);
    CHECK(queue.highest == 0);
  }
}

TEST_CASE("twice the load costs slices alone where these are enough, and comes to rest") {
  Queue queue({.slices = true, .masks = true});
  queue.run(120.0, 0.04, 0.08);
  CHECK(queue.highest >= 1);
  CHECK(queue.highest <= 3);
  CHECK(queue.left_out == 0);
  CHECK(queue.last_wait < 0.2);
  // Up and down again: each time it has risen soon after a fall it stays for twice as long.
  CHECK(queue.changes < 24);
}

TEST_CASE("where only pictures can be left out the wait stays short, and all the rate is used") {
  Queue queue({});
  queue.run(60.0, 0.04, 0.08);
  CHECK(queue.left_out > 0);
  CHECK(queue.last_wait < 0.13);
  CHECK(static_cast<double>(queue.begun) > 0.9 * 60.0 / 0.08);
}

TEST_CASE("after the load everything is computed again") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Queue queue({.slices = true, .masks = true});
    queue.run(20.0, 0.04, 0.3, &dice);
    CHECK(queue.highest == queue.shed.last());
    queue.run(400.0, 0.04, 0.01, &dice);
    CHECK(queue.shed.number() == 0);
  }
}

TEST_CASE("pictures that the source dropped count as load") {
  ShedControl shed({.slices = true});
  shed.see(0.0, {.lost_some = true});
  CHECK(shed.number() == 0);
  shed.see(0.1, {.lost_some = true});
  CHECK(shed.number() == 1);
  shed.see(0.2, {.lost_some = true});
  shed.see(0.3, {.lost_some = true});
  CHECK(shed.number() == 1);  // it has to settle
  shed.see(0.7, {.lost_some = true});
  shed.see(0.8, {.lost_some = true});
  CHECK(shed.number() == 2);
}
