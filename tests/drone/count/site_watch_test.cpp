// What is told of a site while tracks go on, against a count of the whole tracks.
#include "apps/drone/count/site_watch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tests/drone/count/random_tracks.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double end_seconds = 2.0;

// Told frame by frame.
std::vector<SiteEvent> watched(const Site& site, std::vector<Sighting> sightings) {
  std::stable_sort(sightings.begin(), sightings.end(),
                   [](const Sighting& a, const Sighting& b) { return a.frame < b.frame; });
  auto drawn = drawn_site(site);
  REQUIRE_MESSAGE(drawn.ok(), (drawn ? std::string() : drawn.error()));
  SiteWatch watch(std::move(*drawn), {}, end_seconds);
  std::vector<SiteEvent> all;
  for (size_t begin = 0; begin < sightings.size();) {
    size_t end = begin;
    while (end < sightings.size() && sightings[end].frame == sightings[begin].frame) ++end;
    for (SiteEvent& each : watch.see(sightings[begin].frame, sightings[begin].seconds,
                                     std::span(sightings).subspan(begin, end - begin))) {
      CHECK(each.frame == sightings[begin].frame);
      CHECK(each.seconds <= sightings[begin].seconds);
      all.push_back(std::move(each));
    }
    begin = end;
  }
  for (SiteEvent& each : watch.finish()) all.push_back(std::move(each));
  return all;
}

using Told = std::multiset<std::tuple<int, int64_t, std::string, std::string, double>>;

Told told_of(const std::vector<SiteEvent>& events) {
  Told told;
  for (const SiteEvent& each : events)
    told.emplace(static_cast<int>(each.kind), each.track, each.place, each.direction, each.seconds);
  return told;
}

Told counted_of(const Counts& counts, bool with_stopped) {
  Told told;
  for (const Crossing& each : counts.crossings) {
    const CountLine& line = counts.site.lines[each.line];
    told.emplace(static_cast<int>(SiteEventKind::crossing), each.track, line.name,
                 direction_name(line, each.direction), each.seconds);
  }
  for (const Incident& each : counts.incidents) {
    const auto kind = each.kind == IncidentKind::wrong_way ? SiteEventKind::wrong_way
                      : each.kind == IncidentKind::stopped ? SiteEventKind::stopped
                                                           : SiteEventKind::overspeed;
    if (with_stopped || each.kind != IncidentKind::stopped)
      told.emplace(static_cast<int>(kind), each.track, each.place, "", each.begin_seconds);
  }
  return told;
}

// 10 pixels are a metre; lanes and zones have limits.
Site in_metres(Site site) {
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {400.0, 0.0}, {400.0, 400.0}, {0.0, 400.0}})
    site.ground_points.push_back({.pixel = {x, y}, .ground = {x / 10.0, -y / 10.0}});
  site.ground_is_wgs84 = false;
  for (Zone& zone : site.zones) zone.limit_kmh = 40.0;
  for (Lane& lane : site.lanes) lane.limit_kmh = 30.0;
  site.limits.stopped_seconds = 1.0;
  site.limits.incident_seconds = 0.3;
  return site;
}

}  // namespace

TEST_CASE("what is told while tracks go on is what a count of the whole run finds") {
  size_t crossings = 0, kinds[4] = {};
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const Site site = in_metres(random_site(dice));
    auto sightings = random_tracks(dice);
    const PlanePoint here = somewhere(dice);
    append(sightings, drive(99, {here, here, 1.0, 4.0}));
    const auto events = watched(site, sightings);
    CHECK(told_of(events) == counted_of(counted(site, sightings), true));
    for (const SiteEvent& each : events) ++kinds[static_cast<size_t>(each.kind)];
    crossings += events.size();
  }
  CHECK(crossings > 500);
  for (const size_t kind : kinds) CHECK(kind > 20);
}

TEST_CASE("without metres crossings are the same too") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const Site site = random_site(dice);
    const auto sightings = random_tracks(dice);
    auto events = watched(site, sightings);
    std::erase_if(events, [](const SiteEvent& e) { return e.kind != SiteEventKind::crossing; });
    Counts counts = counted(site, sightings);
    counts.incidents.clear();
    CHECK(told_of(events) == counted_of(counts, false));
  }
}

TEST_CASE("a crossing is told in the frame in which the other side is held") {
  Site site{.file = "site.toml"};
  site.lines = {gate_line()};
  // 8 pixels a frame: frame 14 is the first one behind the line.
  const auto events = watched(site, drive(7, {{0, 50}, {200, 50}, 0.0, 1.0}, 5));
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == SiteEventKind::crossing);
  CHECK(events[0].track == 7);
  CHECK(events[0].class_id == 5);
  CHECK(events[0].place == "gate");
  CHECK(events[0].direction == "backward");
  CHECK(events[0].seconds == doctest::Approx(0.5));
  CHECK(events[0].frame == 16);
}

TEST_CASE("who stands is told once, when he has stood for long enough") {
  Site site = in_metres({.file = "site.toml"});
  site.zones = {{.name = "yard", .corners = rectangle({0, 0}, {400, 400})}};
  site.limits.stopped_seconds = 3.0;
  const auto events = watched(site, drive(1, {{50, 50}, {50, 50}, 0.0, 10.0}));
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == SiteEventKind::stopped);
  CHECK(events[0].place == "yard");
  CHECK(events[0].seconds == 0.0);
  // Three seconds, and the half that its velocity needs.
  CHECK(events[0].frame == doctest::Approx(1 + 3.5 * 25).epsilon(0.03));
}

TEST_CASE("of an overspeed the greatest speed so far is told") {
  Site site = in_metres({.file = "site.toml"});
  site.lanes = {{.name = "east",
                 .corners = rectangle({-1000, 0}, {1000, 100}),
                 .direction = {{0, 50}, {1, 50}},
                 .limit_kmh = 30.0}};
  const auto events = watched(site, drive(1, {{0, 50}, {300, 50}, 0.0, 2.0}));  // 15 m/s
  REQUIRE(events.size() == 1);
  REQUIRE(events[0].kmh);
  CHECK(*events[0].kmh == doctest::Approx(54.0));
}
