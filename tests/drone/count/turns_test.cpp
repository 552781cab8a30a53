// Zones, the turning matrix, and how a minor stream enters a major one.
#include "apps/drone/count/turns.hpp"

#include <doctest/doctest.h>

#include "tests/drone/count/drives.hpp"

using namespace shingle::drone;

namespace {

// Zones to the left, to the right and below.
Site three_arms() {
  Site site{.file = "site.toml"};
  site.zones = {{.name = "west", .corners = rectangle({0, 80}, {50, 120})},
                {.name = "east", .corners = rectangle({150, 80}, {200, 120})},
                {.name = "south", .corners = rectangle({80, 150}, {120, 200})}};
  return site;
}

}  // namespace

TEST_CASE("dwell time is from border to border") {
  const auto counts = counted(three_arms(), drive(1, {{-50, 100}, {100, 100}, 0.0, 6.0}));
  REQUIRE(counts.visits.size() == 1);
  const Visit& visit = counts.visits[0];
  CHECK(visit.saw_entry);
  CHECK(visit.saw_exit);
  CHECK(visit.entry_seconds == doctest::Approx(2.0));
  CHECK(visit.dwell_seconds() == doctest::Approx(2.0));
}

TEST_CASE("a visit that was not seen from its begin is a lower bound and says so") {
  const auto counts = counted(three_arms(), drive(1, {{25, 100}, {100, 100}, 1.0, 4.0}));
  REQUIRE(counts.visits.size() == 1);
  CHECK(!counts.visits[0].saw_entry);
  CHECK(counts.visits[0].dwell_seconds() == doctest::Approx(1.0));
}

TEST_CASE("flicker on a zone's border makes neither visits nor exits") {
  const Zone zone{.name = "z", .corners = rectangle({0, 0}, {10, 10})};
  const auto visits_at = [&](const std::vector<double>& places) {
    Path path{.track = 1};
    for (size_t index = 0; index < places.size(); ++index)
      path.points.push_back({.frame = static_cast<uint32_t>(index + 1),
                             .seconds = static_cast<double>(index),
                             .at = {places[index], 5.0}});
    return visits_of(path, 0, zone, {}).size();
  };
  CHECK(visits_at({-3, -2, 1, 2, -1, -2, -3, -4}) == 0);
  CHECK(visits_at({-3, 1, 2, 3, -1, 1, 2, 3, -5}) == 1);
  CHECK(visits_at({-3, 1, 2, 3, -1, -2, -3, 1, 2, 3, -5}) == 2);
}

TEST_CASE("the turning matrix leads from the first zone to the last one") {
  std::vector<Sighting> sightings = drive(1, {{10, 100}, {190, 100}, 0.0, 4.0});
  append(sightings, drive(2, {{190, 100}, {10, 100}, 0.0, 4.0}));
  append(sightings, drive(3, {{10, 100}, {100, 100}, 0.0, 2.0}));  // then south
  append(sightings, drive(3, {{100, 101}, {100, 190}, 2.04, 4.0}));
  append(sightings, drive(4, {{10, 100}, {70, 100}, 0.0, 2.0}));  // ends on the way
  const auto counts = counted(three_arms(), sightings);
  REQUIRE(counts.turns.size() == 3);
  CHECK(counts.turns[0].from == 0);
  CHECK(counts.turns[0].to == 1);
  CHECK(counts.turns[1].from == 1);
  CHECK(counts.turns[1].to == 0);
  CHECK(counts.turns[2].from == 0);
  CHECK(counts.turns[2].to == 2);
}

TEST_CASE("lines are gates as well") {
  Site site{.file = "site.toml", .lines = {gate_line("in", 50.0), gate_line("out", 150.0)}};
  const auto counts = counted(site, drive(1, {{0, 50}, {200, 50}, 0.0, 4.0}));
  REQUIRE(counts.turns.size() == 1);
  CHECK(counts.turns[0].from == 0);
  CHECK(counts.turns[0].to == 1);
  CHECK(counts.turns[0].to_seconds == doctest::Approx(3.0));
}

TEST_CASE("entries are counted within the headways of the conflicting stream") {
  Site site{.file = "site.toml", .lines = {gate_line("ring", 100.0), gate_line("arm", 400.0)}};
  site.entries = {{.line = "arm",
                   .conflict = "ring",
                   .direction = Direction::backward,
                   .conflict_direction = Direction::backward}};
  std::vector<Sighting> sightings;
  int64_t track = 0;
  const auto pass = [&](double x, double at) {
    append(sightings, drive(++track, {{x - 50, 50}, {x + 50, 50}, at - 1.0, at + 1.0}));
  };
  for (const double at : {10.0, 13.0, 25.0, 27.0}) pass(100.0, at);
  for (const double at : {14.0, 16.6, 24.0, 30.0}) pass(400.0, at);
  const auto counts = counted(site, sightings);
  REQUIRE(counts.conflict_headways.size() == 3);
  CHECK(counts.conflict_headways[0].entered_seconds.empty());
  CHECK(counts.conflict_headways[1].entered_seconds.size() == 3);
  CHECK(counts.conflict_headways[2].entered_seconds.empty());
  // The third one came 7.4 s after the second: it did not stand in the queue.
  REQUIRE(counts.conflict_headways[1].follow_up_seconds.size() == 1);
  CHECK(counts.conflict_headways[1].follow_up_seconds[0] == doctest::Approx(2.6).epsilon(0.02));
}
