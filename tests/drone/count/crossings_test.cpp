// Who passes a line: hand-made tracks whose counts are known.
#include "apps/drone/count/crossings.hpp"

#include <doctest/doctest.h>

#include "tests/drone/count/drives.hpp"

using namespace shingle::drone;

namespace {

Site one_line() { return {.file = "site.toml", .lines = {gate_line()}}; }

// A track at these x, a frame each, at y = 50.
std::vector<Sighting> at_each_frame(const std::vector<double>& places) {
  std::vector<Sighting> all;
  for (size_t frame = 0; frame < places.size(); ++frame) {
    const double seconds = static_cast<double>(frame) / test_frames_per_second;
    auto one = drive(1, {{places[frame], 50.0}, {places[frame], 50.0}, seconds, seconds});
    append(all, one);
  }
  return all;
}

size_t crossings_at(const std::vector<double>& places) {
  return counted(one_line(), at_each_frame(places)).crossings.size();
}

}  // namespace

TEST_CASE("a vehicle that drives over a line is counted once, with direction and time") {
  const auto right = counted(one_line(), drive(1, {{0, 50}, {200, 50}, 0.0, 4.0}));
  REQUIRE(right.crossings.size() == 1);
  CHECK(right.crossings[0].direction == Direction::backward);
  CHECK(right.crossings[0].seconds == doctest::Approx(2.0));
  CHECK(right.crossings[0].class_id == 2);
  const auto left = counted(one_line(), drive(1, {{200, 50}, {0, 50}, 0.0, 4.0}));
  REQUIRE(left.crossings.size() == 1);
  CHECK(left.crossings[0].direction == Direction::forward);
}

TEST_CASE("forward is from left to right also where y points up") {
  Site site = one_line();
  site.coordinates = SiteCoordinates::metres;
  std::vector<Sighting> sightings = drive(1, {{0, 50}, {200, 50}, 0.0, 4.0});
  for (Sighting& each : sightings) {
    each.ground.x_metres.value = each.key->x;
    each.ground.y_metres.value = each.key->y;
    each.key.reset();
  }
  // Who looks along y has x > 100 on the right.
  const auto counts = counted(site, sightings);
  REQUIRE(counts.crossings.size() == 1);
  CHECK(counts.crossings[0].direction == Direction::forward);
}

TEST_CASE("who drives around the end of a line does not cross it") {
  CHECK(counted(one_line(), drive(1, {{0, 250}, {200, 250}, 0.0, 4.0})).crossings.empty());
  CHECK(counted(one_line(), drive(1, {{0, 199}, {200, 199}, 0.0, 4.0})).crossings.size() == 1);
}

TEST_CASE("both sides must be held for three frames in succession") {
  CHECK(crossings_at({90, 92, 94, 106, 108, 110}) == 1);
  CHECK(crossings_at({90, 92, 94, 106, 108}) == 0);
  CHECK(crossings_at({92, 94, 106, 108, 110}) == 0);
}

TEST_CASE("flicker on the line counts nothing, or once if the vehicle passes in the end") {
  CHECK(crossings_at({90, 92, 94, 101, 99, 101, 99, 98, 97, 96}) == 0);
  CHECK(crossings_at({90, 92, 94, 101, 99, 101, 99, 102, 104, 106}) == 1);
  CHECK(crossings_at({90, 92, 94, 100, 100, 100, 106, 108, 110}) == 1);
}

TEST_CASE("a vehicle that turns back is counted in both directions") {
  const auto counts =
      counted(one_line(), at_each_frame({90, 94, 98, 102, 106, 110, 106, 102, 98, 94, 90}));
  REQUIRE(counts.crossings.size() == 2);
  CHECK(counts.crossings[0].direction == Direction::backward);
  CHECK(counts.crossings[1].direction == Direction::forward);
}

TEST_CASE("a gap in the track over the line still counts once") {
  std::vector<Sighting> sightings = drive(1, {{0, 50}, {80, 50}, 0.0, 1.6});
  append(sightings, drive(1, {{130, 50}, {200, 50}, 2.6, 4.0}));
  const auto counts = counted(one_line(), sightings);
  REQUIRE(counts.crossings.size() == 1);
  CHECK(counts.crossings[0].seconds == doctest::Approx(2.0));
}

TEST_CASE("a vehicle that never comes as far as the hold distance is not counted") {
  Site site = one_line();
  site.limits.hold_distance = 30.0;
  CHECK(counted(site, drive(1, {{50, 50}, {120, 50}, 0.0, 4.0})).crossings.empty());
  CHECK(counted(site, drive(1, {{50, 50}, {131, 50}, 0.0, 4.0})).crossings.size() == 1);
}

TEST_CASE("headway is from front to front, gap from rear to front") {
  // Two vehicles of 40 px at 50 px a second, three seconds apart: 40 px pass in 0.8 s.
  std::vector<Sighting> sightings = drive(1, {{0, 50}, {200, 50}, 0.0, 4.0});
  append(sightings, drive(2, {{0, 50}, {200, 50}, 3.0, 7.0}));
  append(sightings, drive(3, {{200, 90}, {0, 90}, 1.0, 5.0}));  // the other direction
  const auto counts = counted(one_line(), sightings);
  REQUIRE(counts.crossings.size() == 3);
  CHECK(!counts.crossings[0].headway_seconds);
  const Crossing& second = counts.crossings[2];
  CHECK(second.track == 2);
  REQUIRE(second.headway_seconds);
  CHECK(*second.headway_seconds == doctest::Approx(3.0));
  CHECK(!second.headway_is_of_centres);
  REQUIRE(second.gap_seconds);
  CHECK(*second.gap_seconds == doctest::Approx(2.2));
}

TEST_CASE("vehicles beside each other on one line have a headway from 0 on and no gap") {
  // The truck's centre comes 0.1 s later, its front earlier.
  std::vector<Sighting> sightings = drive(1, {{0, 50}, {200, 50}, 0.0, 4.0});
  std::vector<Sighting> truck = drive(2, {{-5, 120}, {195, 120}, 0.0, 4.0});
  for (Sighting& each : truck) each.box = {each.box.x - 60.0, each.box.y, 160.0, each.box.h};
  append(sightings, truck);
  const auto counts = counted(one_line(), sightings);
  REQUIRE(counts.crossings.size() == 2);
  const Crossing &car = counts.crossings[0], &late = counts.crossings[1];
  CHECK(car.track == 1);
  CHECK(!late.headway_seconds);
  REQUIRE(car.headway_seconds);
  CHECK(*car.headway_seconds > 0.0);
  CHECK(!car.gap_seconds);
}

TEST_CASE("counts fall into bins of 1, 5 and 15 minutes of stream time") {
  std::vector<Sighting> sightings;
  const double begins[] = {10.0, 57.9, 58.1, 301.0, 1000.0};  // they cross two seconds later
  for (size_t index = 0; index < 5; ++index)
    append(sightings,
           drive(static_cast<int64_t>(index + 1),
                 {{0, 50}, {200, 50}, begins[index], begins[index] + 4.0}, index == 0 ? 5 : 2));
  const auto counts = counted(one_line(), sightings);
  const auto minute = line_bins(counts, 1), five = line_bins(counts, 5),
             quarter = line_bins(counts, 15);
  REQUIRE(minute.size() == 5);
  CHECK(minute[0].number == 0);
  CHECK(minute[0].class_id == 2);
  CHECK(minute[1].number == 1);
  CHECK(minute[2].number == 5);
  CHECK(minute[3].number == 16);
  CHECK(minute[4].class_id == 5);
  REQUIRE(five.size() == 4);
  CHECK(five[0].vehicles == 2);
  REQUIRE(quarter.size() == 3);
  CHECK(quarter[0].vehicles == 3);
}
