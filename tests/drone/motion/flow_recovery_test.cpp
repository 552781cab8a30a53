// Vehicles that the detector missed, and boxes that do not move with one.
#include "apps/drone/motion/flow_recovery.hpp"

#include <doctest/doctest.h>

using namespace shingle::drone;

namespace {

constexpr PixelBox car{100, 100, 40, 20};
const FlowStep still{.ground = Homography(Homography::Identity())};

std::vector<TrackedBox> tracks(const PixelBox& box) {
  return {{.id = 7, .box = box, .score = 0.9, .class_id = 2}};
}

std::vector<FollowedBox> followed(const PixelBox& box, double agreement = 0.9) {
  return {{.box = box, .points = 12, .agreement = agreement}};
}

std::vector<DetectedBox> seen(const PixelBox& box, double score) {
  return {{.box = box, .score = score, .class_id = 2}};
}

PixelBox shifted(PixelBox box, double across) {
  box.x += across;
  return box;
}

Homography panned(double across) {
  Homography motion = Homography::Identity();
  motion(0, 2) = across;
  return motion;
}

// A car that drove for five frames, so far in each, while the ground went its own way. The last
// call was about where it is now.
struct Driven {
  Driven(double car_shift, double ground_shift) {
    const FlowStep step{.ground = panned(ground_shift)};
    for (int frame = 0; frame < 5; ++frame) {
      const PixelBox next = shifted(now, car_shift);
      recovery.look(followed(next), tracks(now), seen(next, 0.9), {}, step);
      now = next;
    }
  }
  FlowRecovery recovery{};
  PixelBox now = car;
};

}  // namespace

TEST_CASE("a missed vehicle is found with a score that begins no track") {
  FlowRecovery recovery;
  const FlowResult found = recovery.look(followed(car), tracks(car), {}, {}, still);
  CHECK(found.recovered == 1);
  REQUIRE(found.detections.size() == 1);
  CHECK(found.detections[0].box == car);
  CHECK(found.detections[0].class_id == 2);
  CHECK(found.detections[0].score > 0.1);
  CHECK(found.detections[0].score < 0.5);
}

TEST_CASE("one that was detected, or whose points disagree, is left alone") {
  FlowRecovery recovery;
  const auto weak = seen({105, 102, 40, 20}, 0.4);
  const FlowResult detected = recovery.look(followed(car), tracks(car), weak, {}, still);
  CHECK(detected.recovered == 0);
  CHECK(detected.detections.size() == 1);
  CHECK(recovery.look(followed(car, 0.3), tracks(car), {}, {}, still).recovered == 0);
  CHECK(recovery.look({}, tracks(car), {}, {}, still).recovered == 0);
}

TEST_CASE("a track is carried over ten frames in a row, and again once it was seen") {
  FlowRecovery recovery;
  const auto carried = [&](const std::vector<DetectedBox>& detections) {
    return recovery.look(followed(car), tracks(car), detections, {}, still).recovered;
  };
  for (int i = 0; i < 10; ++i) CHECK(carried({}) == 1);
  CHECK(carried({}) == 0);
  CHECK(carried(seen(car, 0.9)) == 0);
  CHECK(carried({}) == 1);
}

TEST_CASE("a box whose points stay on the ground while its car drove is not carried") {
  for (const double pan : {0.0, -9.0}) {  // under a camera that stands still, and one that moves
    CAPTURE(pan);
    Driven ground(6.0, pan);
    const FlowStep step{.ground = panned(pan)};
    const FlowResult slid =
        ground.recovery.look(followed(shifted(ground.now, pan)), tracks(ground.now), {}, {}, step);
    CHECK(slid.recovered == 0);
    CHECK(slid.rejected == 1);
    Driven on(6.0, pan);
    const FlowResult drove =
        on.recovery.look(followed(shifted(on.now, 6.0)), tracks(on.now), {}, {}, step);
    CHECK(drove.recovered == 1);
    CHECK(drove.rejected == 0);
  }
}

TEST_CASE("a car that stands may stay on the ground, and nothing is rejected without the ground") {
  Driven standing(0.0, 0.0);
  CHECK(standing.recovery.look(followed(car), tracks(car), {}, {}, still).recovered == 1);
  Driven moving(6.0, 0.0);
  CHECK(moving.recovery.look(followed(moving.now), tracks(moving.now), {}, {}, {}).recovered == 1);
}

TEST_CASE("a weak box where a car was is rejected, unless a car may be there") {
  const PixelBox there = shifted(car, 60.0);
  const auto look = [&](const std::vector<FollowedBox>& flow, const std::vector<TrackedBox>& before,
                        double score) {
    FlowRecovery recovery;
    return recovery.look(flow, before, seen(car, score), {}, still);
  };
  const FlowResult weak = look(followed(there), tracks(car), 0.3);
  CHECK(weak.rejected == 1);
  REQUIRE(weak.detections.size() == 1);  // the car itself, where it went
  CHECK(weak.detections[0].box == there);
  CHECK(look(followed(there), tracks(car), 0.9).rejected == 0);       // a strong one begins a track
  CHECK(look(followed(there, 0.2), tracks(car), 0.3).rejected == 0);  // nobody knows
  auto both = followed(there);  // another car followed it to its place
  both.push_back({.box = car, .points = 12, .agreement = 0.9});
  auto before = tracks(car);
  before.push_back({.id = 8, .box = shifted(car, -60.0), .score = 0.9, .class_id = 2});
  CHECK(look(both, before, 0.3).rejected == 0);
}
