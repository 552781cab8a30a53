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

TEST_CASE("where the camera shook, the line is one in the key frame") {
  const auto shifted = [](double x, double y) {
    Homography to_key = Homography::Identity();
    to_key(0, 2) = x, to_key(1, 2) = y;
    return to_key;
  };
  std::deque<FrameRows> earlier{frame_of(seen(1, 100.0)), frame_of(predicted(2, 101.0)),
                                empty(3, true)};
  earlier[0].to_key = shifted(0.0, 0.0);
  earlier[1].to_key = shifted(-6.0, 3.0);
  FrameRows now = frame_of(seen(4, 130.0));
  now.to_key = shifted(0.0, 0.0);
  fill_gaps(earlier, now);
  const Sighting& shaken = earlier[1].sightings.front();
  CHECK(shaken.key->x == doctest::Approx(115.0));
  CHECK(shaken.box.x == doctest::Approx(116.0));
  CHECK(shaken.box.y == doctest::Approx(17.0));
  const Sighting& unknown = earlier[2].sightings.front();  // how its picture lay
  CHECK(unknown.key->x == doctest::Approx(125.0));
  CHECK(unknown.box.x == doctest::Approx(120.0));
}

TEST_CASE("without a place in the key frame on one side the row has none") {
  Sighting before = seen(1, 100.0);
  before.key.reset();
  std::deque<FrameRows> earlier{frame_of(before), frame_of(predicted(2, 101.0))};
  fill_gaps(earlier, frame_of(seen(3, 140.0)));
  CHECK(earlier[1].sightings.front().box.x == doctest::Approx(120.0));
  CHECK_FALSE(earlier[1].sightings.front().key);
}

TEST_CASE("the place on the ground of a moved box is unknown") {
  Sighting between = predicted(2, 101.0);
  between.ground.x_metres.value = 7.0;
  std::deque<FrameRows> earlier{frame_of(seen(1, 100.0)), frame_of(between)};
  fill_gaps(earlier, frame_of(seen(3, 140.0)));
  CHECK_FALSE(earlier[1].sightings.front().ground.x_metres.value);
}
