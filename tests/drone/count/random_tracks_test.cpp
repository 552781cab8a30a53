// What must hold for all tracks.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/drone/count/random_tracks.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

// All that was counted, in one text.
std::string all_of(const Counts& counts) {
  std::string text;
  const auto add = [&](auto... values) { ((text += std::to_string(values) + " "), ...); };
  for (const Crossing& each : counts.crossings)
    add(each.line, each.track, static_cast<int>(each.direction), each.seconds,
        each.headway_seconds.value_or(-1.0), each.gap_seconds.value_or(-1.0));
  for (const Visit& each : counts.visits)
    add(each.zone, each.track, each.entry_seconds, each.exit_seconds);
  for (const Turn& each : counts.turns) add(each.track, each.from, each.to);
  for (const Incident& each : counts.incidents)
    add(static_cast<int>(each.kind), each.track, each.begin_seconds, each.end_seconds);
  for (const CollisionCourse& each : counts.collision_courses)
    add(each.track, each.other, each.begin_seconds, each.least_seconds);
  for (const Encroachment& each : counts.encroachments)
    add(each.first, each.second, each.encroachment_seconds);
  return text;
}

}  // namespace

TEST_CASE("a reversed line counts the same crossings in swapped directions") {
  size_t crossings = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const Site site = random_site(dice);
    const auto sightings = random_tracks(dice);
    Site reversed = site;
    for (CountLine& line : reversed.lines) std::swap(line.segment.begin, line.segment.end);
    const auto one = counted(site, sightings), two = counted(reversed, sightings);
    REQUIRE(one.crossings.size() == two.crossings.size());
    for (size_t index = 0; index < one.crossings.size(); ++index) {
      CHECK(one.crossings[index].track == two.crossings[index].track);
      CHECK(one.crossings[index].direction != two.crossings[index].direction);
      CHECK(one.crossings[index].seconds == doctest::Approx(two.crossings[index].seconds));
    }
    crossings += one.crossings.size();
  }
  CHECK(crossings > 300);
}

TEST_CASE("directions alternate along a track at a line that nobody can drive around") {
  size_t turned_back = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Site site{.file = "site.toml"};
    site.lines = {
        {.name = "long", .segment = {{-1e4, within(dice, 0, 400)}, {1e4, within(dice, 0, 400)}}}};
    const auto counts = counted(site, random_tracks(dice));
    std::map<int64_t, Direction> last;
    for (const Crossing& each : counts.crossings) {
      if (last.contains(each.track)) {
        CHECK(last[each.track] != each.direction);
        ++turned_back;
      }
      last[each.track] = each.direction;
    }
  }
  CHECK(turned_back > 0);
}

TEST_CASE("counts do not depend on the order of tracks") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const Site site = random_site(dice);
    auto sightings = random_tracks(dice);
    const std::string before = all_of(counted(site, sightings));
    std::stable_sort(sightings.begin(), sightings.end(),
                     [](const Sighting& a, const Sighting& b) { return a.track > b.track; });
    CHECK(all_of(counted(site, sightings)) == before);
    std::stable_sort(sightings.begin(), sightings.end(),
                     [](const Sighting& a, const Sighting& b) { return a.frame < b.frame; });
    CHECK(all_of(counted(site, sightings)) == before);
  }
}

TEST_CASE("bins of every length add up to the crossings") {
  size_t crossings = 0, visits = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const Site site = random_site(dice);
    const auto counts = counted(site, random_tracks(dice));
    for (const int minutes : bin_minutes) {
      size_t in_lines = 0, in_zones = 0;
      for (const CountBin& bin : line_bins(counts, minutes)) in_lines += bin.vehicles;
      for (const CountBin& bin : zone_bins(counts, minutes)) in_zones += bin.vehicles;
      CHECK(in_lines == counts.crossings.size());
      CHECK(in_zones == counts.visits.size());
    }
    crossings += counts.crossings.size();
    visits += counts.visits.size();
  }
  CHECK(crossings > 0);
  CHECK(visits > 0);
}
