// Which changes of tracks are told.
#include "apps/drone/count/track_events.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/drone/count/random_tracks.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

Site with_zones() {
  Site site{.file = "site.toml"};
  site.zones = {{.name = "left", .corners = rectangle({0, 0}, {100, 100})},
                {.name = "right", .corners = rectangle({100, 0}, {200, 100})}};
  return site;
}

std::vector<TrackEvent> told(const Site& site, std::vector<Sighting> sightings,
                             const TrackEventLimits& limits = {}) {
  std::stable_sort(sightings.begin(), sightings.end(),
                   [](const Sighting& a, const Sighting& b) { return a.frame < b.frame; });
  TrackEvents events(*drawn_site(site), limits);
  std::vector<TrackEvent> all;
  for (size_t begin = 0; begin < sightings.size();) {
    size_t end = begin;
    while (end < sightings.size() && sightings[end].frame == sightings[begin].frame) ++end;
    for (TrackEvent& each :
         events.see(sightings[begin].seconds, std::span(sightings).subspan(begin, end - begin)))
      all.push_back(std::move(each));
    begin = end;
  }
  for (TrackEvent& each : events.finish()) all.push_back(std::move(each));
  return all;
}

std::string changes_of(const std::vector<TrackEvent>& events) {
  std::string text;
  for (const TrackEvent& each : events)
    text += each.change == TrackChange::begun     ? 'n'
            : each.change == TrackChange::changed ? 'u'
                                                  : 'e';
  return text;
}

}  // namespace

TEST_CASE("a track that stands is new and ends, and nothing is told between") {
  const auto events = told(with_zones(), drive(3, {{300, 50}, {300, 50}, 1.0, 6.0}));
  REQUIRE(changes_of(events) == "ne");
  CHECK(events[0].before.seen == events[0].after.seen);
  CHECK(events[0].after.seen.track == 3);
  CHECK(events[0].after.begin_seconds == 1.0);
  CHECK_FALSE(events[0].after.end_seconds);
  CHECK(events[1].after.begin_seconds == 1.0);
  CHECK(events[1].after.end_seconds == 6.0);
}

TEST_CASE("a track that moves is told once a second, with where it was and is") {
  const auto events = told(with_zones(), drive(3, {{300, 50}, {800, 50}, 0.0, 5.5}));
  REQUIRE(changes_of(events) == "nuuuuue");
  for (size_t i = 1; i + 1 < events.size(); ++i) {
    CHECK(events[i].before.seen == events[i - 1].after.seen);
    CHECK(events[i].after.seen.seconds - events[i].before.seen.seconds == doctest::Approx(1.0));
  }
}

TEST_CASE("zones are told at once, when they are held") {
  const auto events =
      told(with_zones(), drive(3, {{40, 50}, {240, 50}, 0.0, 0.8}), {.pause_seconds = 100.0});
  REQUIRE(changes_of(events) == "nuuue");  // into left, from left into right, out of right
  CHECK(events[0].after.zones.empty());
  CHECK(events[1].after.zones == std::vector<std::string>{"left"});
  CHECK(events[1].after.seen.frame == 3);
  CHECK(events[2].before.zones == std::vector<std::string>{"left"});
  CHECK(events[2].after.zones == std::vector<std::string>{"right"});
  const TrackState& last = events[4].after;
  CHECK(last.zones.empty());
  CHECK(last.entered_zones == std::vector<std::string>{"left", "right"});
}

TEST_CASE("who trembles on a zone's border makes no events") {
  auto sightings = drive(3, {{300, 50}, {300, 50}, 0.0, 4.0});
  for (size_t i = 0; i < sightings.size(); ++i) sightings[i].key->x = i % 4 < 2 ? 199.0 : 201.0;
  CHECK(changes_of(told(with_zones(), sightings)) == "ne");
}

TEST_CASE("another class is told at once") {
  auto sightings = drive(3, {{300, 50}, {300, 50}, 0.0, 1.0}, 2);
  for (size_t i = 10; i < sightings.size(); ++i) sightings[i].class_id = 7;
  const auto events = told(with_zones(), sightings);
  REQUIRE(changes_of(events) == "nue");
  CHECK(events[1].before.seen.class_id == 2);
  CHECK(events[1].after.seen.class_id == 7);
  CHECK(events[1].after.seen.frame == 11);
}

TEST_CASE("a camera that moves moves no vehicle, where its motion is known") {
  auto sightings = drive(3, {{300, 50}, {800, 50}, 0.0, 4.0});
  for (Sighting& each : sightings) each.key = PlanePoint{300, 50};
  CHECK(changes_of(told(with_zones(), sightings)) == "ne");
  for (Sighting& each : sightings) each.key.reset();
  CHECK(changes_of(told(with_zones(), sightings)) == "nuuuue");
}

TEST_CASE("a track ends once it was not seen for too long, and not before") {
  auto sightings = drive(3, {{300, 50}, {300, 50}, 0.0, 1.0});
  append(sightings, drive(4, {{300, 50}, {300, 50}, 1.2, 5.0}));
  append(sightings, drive(3, {{300, 50}, {300, 50}, 2.0, 2.4}));
  const auto events = told(with_zones(), sightings, {.track_end_seconds = 2.0});
  REQUIRE(changes_of(events) == "nnee");
  CHECK(events[2].after.seen.track == 3);
  CHECK(events[2].after.end_seconds == doctest::Approx(2.4));
  CHECK(events[3].after.seen.track == 4);
}

TEST_CASE("each track begins and ends once, and places are told at most once a second") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const Site site = random_site(dice);
    std::map<int64_t, std::string> changes;
    std::map<int64_t, double> last;
    for (const TrackEvent& each : told(site, random_tracks(dice))) {
      const Sighting& now = each.after.seen;
      changes[now.track] += changes_of({each});
      const bool only_moved = each.change == TrackChange::changed &&
                              each.before.zones == each.after.zones &&
                              each.before.seen.class_id == now.class_id;
      if (only_moved) CHECK(now.seconds - last[now.track] >= 1.0);
      last[now.track] = now.seconds;
    }
    for (const auto& [track, text] : changes) {
      CHECK(text.front() == 'n');
      CHECK(text.back() == 'e');
      CHECK(std::ranges::count(text, 'n') == 1);
      CHECK(std::ranges::count(text, 'e') == 1);
    }
  }
}
