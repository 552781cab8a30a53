// Sites in pixels, metres and WGS84 count the same traffic alike.
#include "apps/drone/count/site_plane.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "tests/drone/count/drives.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

// A slanted view: pixels of an oblique camera to metres.
PlanePoint on_ground(PlanePoint pixel) {
  const double weight = 1.0 + pixel.y / 1000.0;
  return {(0.1 * pixel.x - 10.0) / weight, (30.0 - 0.1 * pixel.y) / weight};
}

Site with_ground_points(Site site, bool is_wgs84) {
  const auto frame = LocalFrame::at({.latitude = 50.0, .longitude = 14.0});
  for (const PlanePoint pixel : {PlanePoint{0, 0}, {400, 10}, {390, 400}, {0, 380}, {200, 200}}) {
    PlanePoint ground = on_ground(pixel);
    if (is_wgs84) {
      const GeoPoint place = frame->to_wgs84({ground.x, ground.y, 0.0});
      ground = {place.longitude, place.latitude};
    }
    site.ground_points.push_back({.pixel = pixel, .ground = ground});
  }
  site.ground_is_wgs84 = is_wgs84;
  return site;
}

std::string refusal(const Site& site) {
  const auto counts = count_site(site, {});
  return counts ? "was counted" : counts.error();
}

}  // namespace

TEST_CASE("ground points change units, not counts") {
  Site site{.file = "site.toml", .lines = {gate_line()}};
  std::vector<Sighting> sightings = drive(1, {{0, 50}, {200, 50}, 0.0, 4.0});
  append(sightings, drive(2, {{200, 80}, {0, 80}, 1.0, 5.0}));
  const auto pixels = counted(site, sightings);
  for (const bool is_wgs84 : {false, true}) {
    const auto metres = counted(with_ground_points(site, is_wgs84), sightings);
    CHECK(metres.is_metric);
    REQUIRE(metres.crossings.size() == 2);
    for (size_t index = 0; index < 2; ++index) {
      CHECK(metres.crossings[index].direction == pixels.crossings[index].direction);
      CHECK(metres.crossings[index].seconds ==
            doctest::Approx(pixels.crossings[index].seconds).epsilon(1e-4));
    }
  }
}

TEST_CASE("a site in WGS84 counts tracks that have latitude and longitude") {
  const auto frame = LocalFrame::at({.latitude = 50.0, .longitude = 14.0});
  const auto on_earth = [&](PlanePoint metres) {
    const GeoPoint place = frame->to_wgs84({metres.x, metres.y, 0.0});
    return PlanePoint{place.longitude, place.latitude};
  };
  Site site{.file = "site.toml", .coordinates = SiteCoordinates::wgs84};
  site.lines = {{.name = "gate", .segment = {on_earth({100, 0}), on_earth({100, 200})}}};
  auto sightings = drive(1, {{0, 50}, {200, 50}, 0.0, 4.0});
  for (Sighting& each : sightings) {
    const PlanePoint place = on_earth(*each.key);
    each.ground.longitude = place.x;
    each.ground.latitude = place.y;
  }
  append(sightings, drive(2, {{0, 50}, {200, 50}, 0.0, 4.0}));  // of which nothing is known
  const auto counts = counted(site, sightings);
  REQUIRE(counts.crossings.size() == 1);
  CHECK(counts.crossings[0].direction == Direction::forward);
  CHECK(counts.crossings[0].seconds == doctest::Approx(2.0).epsilon(1e-4));
  CHECK(counts.without_place == std::vector<int64_t>{2});
}

TEST_CASE("a track's length follows from its boxes at any angle") {
  const auto plane = SitePlane::of({.file = "site.toml"});
  REQUIRE(plane);
  for (const double degrees : {0.0, 20.0, 45.0, 70.0, 90.0, 135.0}) {
    CAPTURE(degrees);
    const double angle = degrees * 3.14159265358979 / 180.0;
    const PlanePoint along{std::cos(angle), std::sin(angle)};
    auto sightings = drive(1, {{500, 500}, PlanePoint{500, 500} + 300.0 * along, 0.0, 4.0});
    const double w = 50.0 * std::abs(along.x) + 20.0 * std::abs(along.y);
    const double h = 50.0 * std::abs(along.y) + 20.0 * std::abs(along.x);
    for (Sighting& each : sightings) each.box = {each.key->x - w / 2, each.key->y - h / 2, w, h};
    const auto paths = paths_of(sightings, *plane);
    REQUIRE(paths.paths.size() == 1);
    REQUIRE(paths.paths[0].extent);
    CHECK(paths.paths[0].extent->length == doctest::Approx(50.0));
    CHECK(paths.paths[0].extent->width == doctest::Approx(20.0));
  }
}

TEST_CASE("a track's length follows from its boxes also where the camera turns and climbs") {
  // Two cars, 4.5 m long in pixels of 10 cm, that drive to the right of the key frame. The camera
  // turns by 90 degrees on the way, and climbs until a pixel takes twice as much.
  std::vector<Sighting> sightings;
  for (uint32_t frame = 0; frame < 50; ++frame) {
    const double angle = frame * std::numbers::pi / 100.0, zoom = 1.0 / (1.0 + frame / 50.0);
    const double length = 45.0 * zoom, width = width_per_length * length;
    const double c = std::abs(std::cos(angle)), s = std::abs(std::sin(angle));
    for (const int64_t track : {1, 2}) {
      const PlanePoint key{100.0 + 8.0 * frame, 200.0 + 150.0 * static_cast<double>(track)};
      const PlanePoint middle{zoom * (key.x * std::cos(angle) + key.y * std::sin(angle)),
                              zoom * (key.y * std::cos(angle) - key.x * std::sin(angle))};
      const double w = length * c + width * s, h = length * s + width * c;
      sightings.push_back({.frame = frame + 1,
                           .seconds = frame / test_frames_per_second,
                           .track = track,
                           .box = {1000.0 + middle.x - w / 2.0, 1000.0 + middle.y - h / 2.0, w, h},
                           .key = key});
    }
  }
  const auto plane = SitePlane::of({});
  REQUIRE(plane);
  for (const Path& path : paths_of(sightings, *plane).paths) {
    REQUIRE(path.extent);
    CHECK(path.extent->length == doctest::Approx(45.0).epsilon(0.02));
  }
}

TEST_CASE("ground points that fix no plane are refused with file and line") {
  Site site{.file = "site.toml", .lines = {gate_line()}};
  site.ground_is_wgs84 = false;
  for (int index = 0; index < 4; ++index)
    site.ground_points.push_back({.pixel = {100.0 * index, 50.0 * index},
                                  .ground = {10.0 * index, 5.0 * index},
                                  .file_line = 7});
  CHECK(refusal(site) ==
        "site.toml:7: the ground points lie on a line, or three of four do; spread them out");
  site.ground_points.resize(3);
  CHECK(refusal(site).find("at least four ground points, and has 3") != std::string::npos);
}

TEST_CASE("a site's point above the horizon is refused") {
  Site site = with_ground_points({.file = "site.toml", .lines = {gate_line()}}, false);
  site.lines[0].segment.end = {100.0, -1500.0};
  site.lines[0].file_line = 3;
  CHECK(refusal(site).find("site.toml:3: a point lies at or above the horizon") == 0);
}
