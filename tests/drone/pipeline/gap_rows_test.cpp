// Boxes of frames in which nobody looked at a track's place.
#include "apps/drone/pipeline/gap_rows.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

Sighting row_at(uint32_t frame, double x, double score) {
  return {.frame = frame,
          .seconds = 0.1 * frame,
          .track = 3,
          .class_id = 2,
          .score = score,
          .box = {x, 20.0, 10.0, 8.0},
          .key = PlanePoint{x + 5.0, 24.0}};
}

Sighting seen(uint32_t frame, double x) { return row_at(frame, x, 0.9); }
Sighting predicted(uint32_t frame, double x) { return row_at(frame, x, 0.0); }

FrameRows frame_of(const Sighting& row) {
  return {.frame = row.frame, .seconds = row.seconds, .sightings = {row}};
}
FrameRows empty(uint32_t frame, bool is_left_out) {
  return {.frame = frame, .seconds = 0.1 * frame, .is_left_out = is_left_out};
}

}  // namespace

TEST_CASE("a predicted box moves to the line between the sightings around it, by time") {
  std::deque<FrameRows> earlier{frame_of(seen(1, 100.0)), frame_of(predicted(2, 100.0)),
                                frame_of(predicted(4, 100.0))};
  fill_gaps(earlier, frame_of(seen(5, 140.0)));
  const Sighting& second = earlier[1].sightings.front();
  CHECK(second.box.x == doctest::Approx(110.0));
  CHECK(second.box.w == doctest::Approx(10.0));
  CHECK(second.key->x == doctest::Approx(115.0));
  CHECK(second.is_predicted());
  CHECK(earlier[2].sightings.front().box.x == doctest::Approx(130.0));
  CHECK(earlier[0].sightings.front() == seen(1, 100.0));
}

TEST_CASE("a frame that was left out gets the box of a track that was seen around it") {
  std::deque<FrameRows> earlier{frame_of(seen(1, 100.0)), empty(2, true)};
  fill_gaps(earlier, frame_of(seen(3, 140.0)));
  REQUIRE(earlier[1].sightings.size() == 1);
  const Sighting& row = earlier[1].sightings.front();
  CHECK(row.box.x == doctest::Approx(120.0));
  CHECK(row.frame == 2);
  CHECK(row.seconds == earlier[1].seconds);
  CHECK(row.class_id == 2);
  CHECK(row.is_predicted());
  CHECK_FALSE(row.ground.x_metres.value);
}

TEST_CASE("a track that was looked for and not found has no box there") {
  std::deque<FrameRows> earlier{frame_of(seen(1, 100.0)), frame_of(predicted(2, 101.0)),
                                empty(3, false)};
  fill_gaps(earlier, frame_of(seen(4, 140.0)));
  CHECK(earlier[1].sightings.front().box.x == 101.0);
  CHECK(earlier[2].sightings.empty());
}

TEST_CASE("a prediction stays where it is while nothing is seen behind it, or before it") {
  std::deque<FrameRows> earlier{frame_of(seen(1, 100.0)), frame_of(predicted(2, 101.0))};
  fill_gaps(earlier, frame_of(predicted(3, 102.0)));
  CHECK(earlier[1].sightings.front().box.x == 101.0);
  earlier.pop_front();
  fill_gaps(earlier, frame_of(seen(3, 140.0)));
  CHECK(earlier[0].sightings.front().box.x == 101.0);
}

TEST_CASE("a place in the key frame that is not known on one side is left as it is") {
  Sighting before = seen(1, 100.0);
  before.key.reset();
  std::deque<FrameRows> earlier{frame_of(before), frame_of(predicted(2, 101.0))};
  fill_gaps(earlier, frame_of(seen(3, 140.0)));
  CHECK(earlier[1].sightings.front().box.x == doctest::Approx(120.0));
  CHECK(earlier[1].sightings.front().key->x == 106.0);
}

TEST_CASE("frames between two have equal steps of time") {
  const auto frames = left_out_between(empty(3, false), empty(6, false), 0.5);
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].frame == 4);
  CHECK(frames[0].seconds == doctest::Approx(0.4));
  CHECK(frames[1].frame == 5);
  CHECK(frames[1].is_left_out);
  CHECK(left_out_between(empty(3, false), empty(4, false), 0.5).empty());
}

TEST_CASE("a long gap, or more frames than a video has, is not filled") {
  CHECK(left_out_between(empty(1, false), empty(7, false), 0.5).empty());
  FrameRows far = empty(1'000'000, false);
  far.seconds = 0.3;
  CHECK(left_out_between(empty(1, false), far, 0.5).empty());
}
