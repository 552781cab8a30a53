// What each option of the tracker is for: scenes in which the plain tracker loses objects, and the
// option keeps them.
#include "apps/drone/track/byte_tracker.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace shingle::drone;

namespace {

DetectedBox car_at(double x, double y, double score = 0.9, int class_id = 2) {
  return {.box = {x, y, 40.0, 20.0}, .score = score, .class_id = class_id};
}

struct Followed {
  std::set<int64_t> ids;
  size_t boxes = 0;
};

void add(Followed& followed, const std::vector<TrackedBox>& boxes) {
  for (const TrackedBox& box : boxes) followed.ids.insert(box.id);
  followed.boxes += boxes.size();
}

// A parked car under a camera that shifts by 30 pixels to and fro, as in gusts.
Followed in_gusts(bool knows_motion) {
  ByteTracker tracker({});
  Followed followed;
  double before = 0.0;
  for (int frame = 0; frame < 20; ++frame) {
    const double shift = frame % 2 == 0 ? 0.0 : 60.0;
    FrameStep step;
    if (knows_motion) {
      step.camera_motion = Homography::Identity();
      (*step.camera_motion)(0, 2) = shift - before;
    }
    before = shift;
    const DetectedBox car = car_at(200.0 + shift, 100.0);
    add(followed, tracker.step({&car, 1}, step));
  }
  return followed;
}

// A car at 10 pixels a frame; of its frames 9 in 10 are dropped now and then.
Followed with_gaps(bool knows_time) {
  ByteTracker tracker({});
  Followed followed;
  double time = 0.0;
  for (int frame = 0; frame < 40; ++frame) {
    const double steps = frame > 20 && frame % 5 == 0 ? 10.0 : 1.0;
    time += frame == 0 ? 0.0 : steps;
    const DetectedBox car = car_at(10.0 * time, 100.0);
    add(followed, tracker.step({&car, 1}, {.steps = knows_time ? steps : 1.0}));
  }
  return followed;
}

}  // namespace

TEST_CASE("a shaking camera loses no track whose motion is known") {
  const Followed aware = in_gusts(true), unaware = in_gusts(false);
  CHECK(aware.ids.size() == 1);
  CHECK(aware.boxes == 20);
  CHECK(unaware.boxes < 20);
}

TEST_CASE("a track is predicted by time over dropped frames") {
  const Followed aware = with_gaps(true), unaware = with_gaps(false);
  CHECK(aware.ids.size() == 1);
  CHECK(aware.boxes == 40);
  CHECK(unaware.ids.size() > 1);
}

TEST_CASE("a car that turns while it is hidden is recovered by its last box") {
  // It brakes behind a bridge and stands there; the filter has gone on in the meantime.
  const auto followed = [](bool is_observation_centric) {
    ByteTracker tracker({.is_observation_centric = is_observation_centric});
    Followed all;
    for (int frame = 0; frame < 40; ++frame) {
      const bool is_hidden = frame >= 20 && frame < 32;
      const DetectedBox car = car_at(8.0 * std::min(frame, 20), 100.0);
      add(all, tracker.step({&car, is_hidden ? 0U : 1U}));
    }
    return all;
  };
  CHECK(followed(true).ids.size() == 1);
  CHECK(followed(false).ids.size() == 2);
}

TEST_CASE("after a gap the state is as if the track had been seen all the way") {
  Observations observations;
  BoxState state = first_state({0.0, 0.0, 40.0, 20.0});
  observations.add({0.0, {0.0, 0.0, 40.0, 20.0}}, state);
  const BoxState found = observations.state_on_the_way_to({5.0, {50.0, 10.0, 40.0, 20.0}});
  for (int step = 1; step <= 5; ++step) {
    predict(state);
    correct(state, {10.0 * step, 2.0 * step, 40.0, 20.0});
  }
  CHECK((found.mean - state.mean).norm() < 1e-9);
  CHECK((found.covariance - state.covariance).norm() < 1e-9);
}

TEST_CASE("momentum is a half ahead, nothing sideways, and minus a half behind") {
  Observations observations;
  const BoxState state = first_state({0.0, 0.0, 40.0, 20.0});
  CHECK(observations.agreement({10.0, 0.0, 40.0, 20.0}, 1.0) == 0.0);
  observations.add({0.0, {0.0, 0.0, 40.0, 20.0}}, state);
  observations.add({1.0, {10.0, 0.0, 40.0, 20.0}}, state);
  // The direction to a candidate is taken from the box three frames before it, here the first one.
  CHECK(observations.agreement({20.0, 0.0, 40.0, 20.0}, 2.0) == doctest::Approx(0.5));
  CHECK(observations.agreement({0.0, 10.0, 40.0, 20.0}, 2.0) == doctest::Approx(0.0));
  CHECK(observations.agreement({-10.0, 0.0, 40.0, 20.0}, 2.0) == doctest::Approx(-0.5));
}

TEST_CASE("a steady step predicts the same in halves") {
  BoxState whole = first_state({0.0, 0.0, 40.0, 20.0});
  whole.mean(4) = 3.0;
  BoxState halves = whole;
  predict(whole, 1.0);
  predict(halves, 0.5);
  predict(halves, 0.5);
  CHECK((whole.mean - halves.mean).norm() < 1e-12);
  CHECK(whole.covariance(0, 0) == doctest::Approx(halves.covariance(0, 0)).epsilon(0.01));
}

TEST_CASE("a track's class is the one with most score, not the last one") {
  ByteTracker tracker({});
  std::vector<TrackedBox> last;
  for (int frame = 0; frame < 5; ++frame) {
    const DetectedBox car = car_at(10.0, 10.0, frame == 4 ? 0.95 : 0.8, frame == 4 ? 7 : 2);
    last = tracker.step({&car, 1});
  }
  REQUIRE(last.size() == 1);
  CHECK(last.front().class_id == 2);
}

TEST_CASE("a later track is reported from its second frame on, and ids are not used twice") {
  ByteTracker tracker({});
  const DetectedBox first = car_at(0.0, 0.0);
  CHECK(tracker.step({&first, 1}).size() == 1);
  const std::vector<DetectedBox> both{car_at(0.0, 0.0), car_at(300.0, 0.0)};
  CHECK(tracker.step(both).size() == 1);
  CHECK(tracker.step(both).size() == 2);
  CHECK(tracker.tracks_begun() == 2);
}

// --- where nobody looks ---

namespace {

const std::vector<PixelBox> nowhere{};

// A car at 8 pixels a frame.
DetectedBox moving_car(int frame) { return car_at(100.0 + 8.0 * frame, 100.0); }

}  // namespace

TEST_CASE("a track goes on as predicted where nobody looks, for a while, and is found again") {
  ByteTracker tracker({.coast_frames = 5.0});
  for (int frame = 0; frame < 10; ++frame) {
    const DetectedBox car = moving_car(frame);
    tracker.step({&car, 1});
  }
  for (int frame = 10; frame < 15; ++frame) {
    const auto seen = tracker.step({}, {.looked = nowhere});
    REQUIRE(seen.size() == 1);
    CHECK(seen.front().is_predicted);
    CHECK(seen.front().id == 1);
    CHECK(std::abs(seen.front().box.x - moving_car(frame).box.x) < 4.0);
  }
  CHECK(tracker.step({}, {.looked = nowhere}).empty());  // too long
  const DetectedBox car = moving_car(16);
  const auto again = tracker.step({&car, 1});
  REQUIRE(again.size() == 1);
  CHECK(again.front().id == 1);
  CHECK_FALSE(again.front().is_predicted);
}

TEST_CASE("who is missed where somebody looks is lost at once") {
  ByteTracker tracker({});
  for (int frame = 0; frame < 5; ++frame) {
    const DetectedBox car = moving_car(frame);
    tracker.step({&car, 1});
  }
  const std::vector<PixelBox> there{{120.0, 50.0, 200.0, 100.0}},
      elsewhere{{500.0, 50.0, 99.0, 99.0}};
  CHECK(tracker.step({}, {.looked = elsewhere}).size() == 1);
  CHECK(tracker.step({}, {.looked = there}).empty());
}

TEST_CASE("a new track waits for its second box where nobody looks, though it moves far") {
  for (const bool waits : {false, true}) {
    ByteTracker tracker({});
    const DetectedBox other = car_at(0.0, 500.0);
    tracker.step({&other, 1});
    for (int frame = 0; frame < 12; ++frame) {
      const std::vector<DetectedBox> both{other, car_at(100.0 + 12.0 * frame, 100.0)};
      const bool sees_it = frame % 4 == 0;
      FrameStep step;
      if (waits && !sees_it) step.looked = nowhere;
      tracker.step(std::span(both).first(sees_it ? 2 : 1), step);
    }
    CHECK(tracker.tracks_begun() == (waits ? 2 : 4));
  }
}

TEST_CASE("tracks that wait for a second box can be asked for") {
  ByteTracker tracker({});
  tracker.step({});
  const DetectedBox car = car_at(10.0, 10.0);
  tracker.step({&car, 1});
  REQUIRE(tracker.unconfirmed().size() == 1);
  CHECK(tracker.unconfirmed().front().box.x == doctest::Approx(10.0));
  tracker.step({&car, 1});
  CHECK(tracker.unconfirmed().empty());
}
