// Five seconds of a real flight over a crossing, of which both pixels and positions on the earth
// are published (geo-trax): a site that is drawn in either counts the same vehicles.
#include <doctest/doctest.h>

#include <fstream>
#include <map>

#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/results/csv_line.hpp"
#include "tests/drone/count/drives.hpp"
#include "tests/drone/shared_data.hpp"

using namespace shingle::drone;

namespace {

using Key = std::pair<int64_t, int64_t>;  // frame, track

// Latitude and longitude are columns 7 and 8 (from 0 on), the track and frame 0 and 2.
std::map<Key, PlanePoint> positions_in(const std::string& path) {
  std::map<Key, PlanePoint> positions;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    const auto fields = csv_fields(line);
    positions[{*csv_whole(fields[2]), *csv_whole(fields[0])}] = {*finite_number(fields[8]),
                                                                 *finite_number(fields[7])};
  }
  return positions;
}

// Stabilised boxes are columns 6 to 9: centre, width, height.
std::vector<Sighting> sightings_in(const std::string& folder) {
  const auto positions = positions_in(folder + "/U_video_cut.csv");
  std::vector<Sighting> sightings;
  std::ifstream file(folder + "/U_video_cut.txt");
  for (std::string line; std::getline(file, line);) {
    const auto fields = csv_fields(line);
    const int64_t frame = *csv_whole(fields[0]), track = *csv_whole(fields[1]);
    const auto position = positions.find({frame, track});
    if (position == positions.end()) continue;
    Sighting one{.frame = static_cast<uint32_t>(frame + 1),
                 .seconds = static_cast<double>(frame) / 29.97,
                 .track = track,
                 .key = PlanePoint{*finite_number(fields[6]), *finite_number(fields[7])}};
    one.box = {one.key->x, one.key->y, *finite_number(fields[8]), *finite_number(fields[9])};
    one.ground.longitude = position->second.x;
    one.ground.latitude = position->second.y;
    sightings.push_back(one);
  }
  return sightings;
}

}  // namespace

TEST_CASE("pixels, ground points and WGS84 count the same vehicles of a real flight") {
  const auto folder = shared_data("geo-trax");
  if (!folder) return;
  const auto sightings = sightings_in(*folder);
  REQUIRE(sightings.size() == 19787);
  Site pixels{.file = "site.toml"};
  pixels.lines = {{.name = "a", .segment = {{1900, 0}, {1900, 2160}}},
                  {.name = "b", .segment = {{2600, 0}, {2600, 2160}}},
                  {.name = "c", .segment = {{0, 700}, {3840, 700}}}};
  Site metres = pixels;
  metres.ground_is_wgs84 = true;
  for (size_t index = 0; index < sightings.size(); index += 150)
    metres.ground_points.push_back(
        {.pixel = *sightings[index].key,
         .ground = {*sightings[index].ground.longitude, *sightings[index].ground.latitude}});
  const auto plane = SitePlane::of(metres);
  REQUIRE(plane);
  CHECK(plane->from_picture()->rms < 0.05);
  // The same lines on the earth, for tracks of which only latitude and longitude are known.
  Site earth{.file = "earth.toml", .coordinates = SiteCoordinates::wgs84};
  for (CountLine line : pixels.lines) {
    for (PlanePoint* point : {&line.segment.begin, &line.segment.end}) {
      const auto place = plane->to_wgs84(*plane->of_pixel(*point));
      *point = {place->longitude, place->latitude};
    }
    earth.lines.push_back(line);
  }
  auto on_earth = sightings;
  for (Sighting& each : on_earth) each.key.reset();
  const auto one = counted(pixels, sightings), two = counted(metres, sightings),
             three = counted(earth, on_earth);
  CHECK(one.crossings.size() >= 30);
  REQUIRE(two.crossings.size() == one.crossings.size());
  REQUIRE(three.crossings.size() == one.crossings.size());
  for (size_t index = 0; index < one.crossings.size(); ++index) {
    const Crossing& crossing = one.crossings[index];
    for (const Counts* other : {&two, &three}) {
      CHECK(other->crossings[index].track == crossing.track);
      CHECK(other->crossings[index].direction == crossing.direction);
      CHECK(std::abs(other->crossings[index].seconds - crossing.seconds) < 0.05);
    }
  }
}
