// Wrong way, stopped, overspeed; time to collision and post-encroachment time.
#include "apps/drone/count/incidents.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/drone/count/drives.hpp"

using namespace shingle::drone;

namespace {

Site one_lane() {
  Site site{.file = "site.toml"};
  site.lanes = {{.name = "eastbound",
                 .corners = rectangle({0, 0}, {400, 100}),
                 .direction = {{0, 50}, {400, 50}}}};
  return site;
}

// The same in metres: 10 pixels are a metre, and y points up.
Site in_metres(Site site) {
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {400.0, 0.0}, {400.0, 400.0}, {0.0, 400.0}})
    site.ground_points.push_back({.pixel = {x, y}, .ground = {x / 10.0, -y / 10.0}});
  site.ground_is_wgs84 = false;
  return site;
}

MovingRectangle car(PlanePoint centre, PlanePoint facing, double speed) {
  return {.centre = centre, .facing = facing, .velocity = speed * facing, .extent = {4.0, 2.0}};
}

}  // namespace

TEST_CASE("who drives against a lane is reported, who changes lanes or drives along is not") {
  const auto wrong = counted(one_lane(), drive(1, {{390, 50}, {30, 50}, 0.0, 8.0}));
  REQUIRE(wrong.incidents.size() == 1);
  CHECK(wrong.incidents[0].kind == IncidentKind::wrong_way);
  CHECK(wrong.incidents[0].place == "eastbound");
  CHECK(wrong.incidents[0].end_seconds - wrong.incidents[0].begin_seconds == doctest::Approx(8.0));
  CHECK(counted(one_lane(), drive(1, {{10, 50}, {390, 50}, 0.0, 8.0})).incidents.empty());
  CHECK(counted(one_lane(), drive(1, {{50, 0}, {50, 100}, 0.0, 4.0})).incidents.empty());
  CHECK(counted(one_lane(), drive(1, {{390, 50}, {300, 50}, 0.0, 0.8})).incidents.empty());
}

TEST_CASE("a vehicle that stands for long is reported with its place") {
  std::vector<Sighting> sightings = drive(1, {{0, 50}, {200, 50}, 0.0, 4.0});
  append(sightings, drive(1, {{200, 50}, {200, 50}, 4.04, 12.0}));
  const auto counts = counted(one_lane(), sightings);
  REQUIRE(counts.incidents.size() == 1);
  CHECK(counts.incidents[0].kind == IncidentKind::stopped);
  CHECK(counts.incidents[0].place == "eastbound");
  CHECK(counts.incidents[0].begin_seconds == doctest::Approx(4.4).epsilon(0.1));
  CHECK(counts.incidents[0].end_seconds == doctest::Approx(12.0));
}

TEST_CASE("overspeed needs metres, a limit and a second") {
  Site site = one_lane();
  site.lanes[0].limit_kmh = 30.0;
  const auto fast = drive(1, {{40, 50}, {400, 50}, 0.0, 3.6});  // 100 px/s: 10 m/s, 36 km/h
  CHECK(counted(site, fast).incidents.empty());                 // in pixels nobody knows
  const auto counts = counted(in_metres(site), fast);
  REQUIRE(counts.incidents.size() == 1);
  CHECK(counts.incidents[0].kind == IncidentKind::overspeed);
  REQUIRE(counts.incidents[0].greatest_kmh);
  CHECK(*counts.incidents[0].greatest_kmh == doctest::Approx(36.0));
  site.lanes[0].limit_kmh = 40.0;
  CHECK(counted(in_metres(site), fast).incidents.empty());
}

TEST_CASE("the run's own speed counts before the one of its positions") {
  Site site = one_lane();
  site.lanes[0].limit_kmh = 30.0;
  auto sightings = drive(1, {{40, 50}, {400, 50}, 0.0, 3.6});
  for (Sighting& each : sightings) each.ground.speed_mps.value = 5.0;
  CHECK(counted(in_metres(site), sightings).incidents.empty());
}

TEST_CASE("time to collision of rectangles is exact") {
  // 4 m long: bumpers are 16 m apart, and close at 8 m/s.
  CHECK(*time_to_collision(car({0, 0}, {1, 0}, 8.0), car({20, 0}, {1, 0}, 0.0)) ==
        doctest::Approx(2.0));
  CHECK(!time_to_collision(car({0, 0}, {1, 0}, 8.0), car({20, 0}, {1, 0}, 9.0)));
  CHECK(!time_to_collision(car({0, 0}, {1, 0}, 8.0), car({20, 3}, {1, 0}, 0.0)));  // next lane
  // Crossing: the one's front (x + 2) reaches the other's side (x = 19) after 17 m.
  CHECK(*time_to_collision(car({0, 0}, {1, 0}, 10.0), car({20, -17}, {0, 1}, 10.0)) ==
        doctest::Approx(1.7));
  CHECK(*time_to_collision(car({0, 0}, {1, 0}, 8.0), car({3, 0}, {1, 0}, 0.0)) == 0.0);
}

TEST_CASE("a pair that closes in is one conflict with its least time to collision") {
  // Boxes of 40 px; the rear one closes at 50 px/s and is 30 px behind at the end.
  std::vector<Sighting> sightings = drive(1, {{0, 50}, {300, 50}, 0.0, 3.0});
  append(sightings, drive(2, {{220, 50}, {370, 50}, 0.0, 3.0}));
  Site site{.file = "site.toml"};
  const auto counts = counted(site, sightings);
  REQUIRE(counts.collision_courses.size() == 1);
  CHECK(counts.collision_courses[0].track == 1);
  CHECK(counts.collision_courses[0].other == 2);
  CHECK(counts.collision_courses[0].least_seconds == doctest::Approx(0.6));
  CHECK(counts.collision_courses[0].begin_seconds == doctest::Approx(2.12).epsilon(0.02));
}

TEST_CASE("a vehicle that the border cuts does not seem to stop there") {
  // Track 1 leaves a picture of 300 x 200 at 50 px/s: the centre of what is seen of it slows down.
  std::vector<Sighting> sightings = drive(1, {{100, 50}, {340, 50}, 0.0, 4.8});
  for (Sighting& each : sightings) {
    each.box.w = std::min(each.box.w, 300.0 - each.box.x);
    each.key->x = each.box.x + each.box.w / 2.0;
  }
  std::erase_if(sightings, [](const Sighting& each) { return each.box.w < 2.0; });
  append(sightings, drive(2, {{40, 50}, {240, 50}, 0.0, 4.0}));
  const Site site{.file = "site.toml"};
  CHECK(counted(site, sightings).collision_courses.size() == 1);
  const auto counts = count_site(site, sightings, {.width = 300, .height = 200});
  REQUIRE(counts);
  CHECK(counts->collision_courses.empty());
}

TEST_CASE("post-encroachment time is from the first one's rear to the second one's front") {
  Site site{.file = "site.toml"};
  site.zones = {
      {.name = "box", .corners = rectangle({100, 100}, {140, 140}), .is_conflict_area = true}};
  // Both at 100 px/s and 40 px long; centres leave at x = 140 (1.4 s) and come at y = 100 (3.0 s).
  std::vector<Sighting> sightings = drive(1, {{0, 120}, {240, 120}, 0.0, 2.4});
  auto second = drive(2, {{120, 0}, {120, 240}, 2.0, 4.4});
  for (Sighting& each : second) each.box = {each.key->x - 8.0, each.key->y - 20.0, 16.0, 40.0};
  append(sightings, second);
  const auto counts = counted(site, sightings);
  REQUIRE(counts.encroachments.size() == 1);
  CHECK(counts.encroachments[0].first == 1);
  CHECK(counts.encroachments[0].second == 2);
  CHECK(counts.encroachments[0].encroachment_seconds == doctest::Approx(3.0 - 0.2 - 1.4 - 0.2));
  REQUIRE(counts.encroachments[0].angle_degrees);
  CHECK(*counts.encroachments[0].angle_degrees == doctest::Approx(90.0));
}
