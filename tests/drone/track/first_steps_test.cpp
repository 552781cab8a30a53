// Traffic that is looked at so seldom that a fast car's boxes do not meet.
#include "apps/drone/track/first_steps.hpp"

#include <doctest/doctest.h>

#include <map>

#include "apps/drone/score/counting.hpp"
#include "apps/drone/score/scores.hpp"
#include "apps/drone/track/byte_tracker.hpp"
#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double pixels_per_metre = 12.5, picture_width = 1920.0;
constexpr double steps_between_looks = 6.0, seconds_between_looks = 0.2;

// A car of 4.5 m whose middle is so many pixels to the right.
PixelBox car_at(double x, double y) { return {x - 28.0, y - 12.0, 56.0, 24.0}; }
DetectedBox seen_at(double x, double y) { return {car_at(x, y), 1.0, -1}; }

struct Traffic {
  std::vector<MotRow> truth{};
  uint32_t looks = 0;
};

// Six lanes at 8 to 28 m/s, three each way, gaps of 8 to 60 m, and parked cars beside them.
Traffic drawn_traffic(uint64_t seed) {
  Dice dice(mixed_bits(seed));
  const auto between = [&](double least, double most) {
    return least + (most - least) * dice.unit();
  };
  Traffic traffic{.looks = 60};
  int64_t id = 0;
  for (int lane = 0; lane < 8; ++lane) {
    const bool is_parked = lane == 0 || lane == 7;
    const double speed = is_parked ? 0.0 : between(8.0, 28.0) * (lane < 4 ? -1.0 : 1.0);
    const double y = 200.0 + 44.0 * lane + (lane > 3 ? 200.0 : 0.0);
    for (double metres = -500.0; metres < 500.0; metres += 4.5 + between(8.0, 60.0)) {
      ++id;
      for (uint32_t look = 0; look < traffic.looks; ++look) {
        const double x = (metres + speed * seconds_between_looks * look) * pixels_per_metre;
        if (x > 0.0 && x < picture_width)
          traffic.truth.push_back({.frame = look + 1, .id = id, .box = car_at(x, y)});
      }
    }
  }
  return traffic;
}

double idf1_of(const Traffic& traffic, bool finds_first_steps) {
  std::map<uint32_t, std::vector<DetectedBox>> looks;
  for (const MotRow& row : traffic.truth) looks[row.frame].push_back({row.box, 1.0, -1});
  ByteTracker tracker({.finds_first_steps = finds_first_steps});
  std::vector<MotRow> found;
  for (const auto& [look, detections] : looks)
    for (const TrackedBox& box : tracker.step(detections, {.steps = steps_between_looks}))
      found.push_back({.frame = look, .id = box.id, .box = box.box});
  const auto sequence =
      sequence_of({"truth", traffic.truth}, {"found", found}, {.frames = traffic.looks});
  REQUIRE(sequence);
  return figures_of(scores_of(*sequence).identity).f1;
}

}  // namespace

TEST_CASE("fast traffic that is looked at five times a second is followed") {
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    CAPTURE(seed);
    const Traffic traffic = drawn_traffic(seed);
    CHECK(idf1_of(traffic, true) > 0.95);
    CHECK(idf1_of(traffic, false) < 0.8);
  }
}

TEST_CASE("a car that comes into a lane goes on as the lane does, not to the next box") {
  // The lane moves by 150 pixels a look; 160 pixels before the new car the next one comes in.
  Track fresh(1, seen_at(100.0, 500.0), {1, 0.0}, false);
  const std::vector<Track*> tracks{&fresh};
  const DetectedBox ahead = seen_at(250.0, 500.0), behind = seen_at(90.0, 500.0);
  const std::vector<const DetectedBox*> detections{&ahead, &behind};
  const std::vector<KnownStep> lane{{car_at(420.0, 500.0), {150.0, 0.0}},
                                    {car_at(380.0, 560.0), {-140.0, 0.0}}};
  const Matrix alone = costs_of_first_steps(tracks, detections, {});
  CHECK(alone.at(0, 0) == doctest::Approx(1.0));
  CHECK(alone.at(0, 1) < 0.3);
  const Matrix beside = costs_of_first_steps(tracks, detections, lane);
  CHECK(beside.at(0, 0) < beside.at(0, 1));
}

TEST_CASE("the assignment gives each car of a platoon its own box, however near another one is") {
  ByteTracker tracker({.finds_first_steps = true});
  // Each car moves by 70 pixels; the second one ends 60 pixels before where the first one was.
  const std::vector<double> before{700.0, 570.0, 300.0};
  std::vector<DetectedBox> first, second;
  for (const double x : before) {
    first.push_back(seen_at(x, 400.0));
    second.push_back(seen_at(x + 70.0, 400.0));
  }
  std::map<int64_t, double> begun;
  for (const TrackedBox& box : tracker.step(first)) begun[box.id] = box.box.x;
  const auto seen = tracker.step(second, {.steps = steps_between_looks});
  REQUIRE(seen.size() == before.size());
  for (const TrackedBox& box : seen) {
    REQUIRE(begun.contains(box.id));
    CHECK(box.box.x - begun[box.id] == doctest::Approx(70.0).epsilon(0.05));
  }
}

TEST_CASE("the second box of a new track gives it a speed") {
  ByteTracker tracker({.finds_first_steps = true});
  tracker.step(std::vector{seen_at(900.0, 100.0)});
  for (const double x : {100.0, 170.0, 240.0, 310.0})  // comes in after the first look
    tracker.step(std::vector{seen_at(900.0, 100.0), seen_at(x, 400.0)},
                 {.steps = steps_between_looks});
  CHECK(tracker.tracks_begun() == 2);
}
