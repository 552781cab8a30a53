// GeoJSON and KML: geometry as RFC 7946 and OGC KML want it.
#include "apps/drone/results/geo_text.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace shingle::drone;

namespace {

GeoTrack track_over(const std::vector<PlanePoint>& points) {
  GeoTrack track{.track = 4, .class_id = 2};
  for (size_t index = 0; index < points.size(); ++index)
    track.fixes.push_back({static_cast<double>(index), points[index]});
  return track;
}

nlohmann::json feature_of(const GeoTrack& track) {
  const auto json = nlohmann::json::parse(geojson_text(std::vector{track}, {}));
  CHECK(json.at("type") == "FeatureCollection");
  REQUIRE(json.at("features").size() == 1);
  return json.at("features")[0];
}

}  // namespace

TEST_CASE("a track is a line of longitude, latitude with its seconds") {
  const auto feature = feature_of(track_over({{14.25, 50.0}, {14.5, 50.125}}));
  CHECK(
      feature.at("geometry") ==
      nlohmann::json::parse(R"({"type":"LineString","coordinates":[[14.25,50.0],[14.5,50.125]]})"));
  CHECK(feature.at("properties").at("track") == 4);
  CHECK(feature.at("properties").at("seconds") == std::vector<double>{0.0, 1.0});
}

TEST_CASE("a track of one fix is a point") {
  const auto feature = feature_of(track_over({{14.25, 50.0}}));
  CHECK(feature.at("geometry").at("type") == "Point");
}

TEST_CASE("a track over the antimeridian is cut there") {
  const auto feature = feature_of(track_over({{179.0, 10.0}, {-179.0, 12.0}, {-178.0, 12.0}}));
  CHECK(feature.at("geometry") == nlohmann::json::parse(
                                      R"({"type":"MultiLineString","coordinates":
          [[[179.0,10.0],[180.0,11.0]],[[-180.0,11.0],[-179.0,12.0],[-178.0,12.0]]]})"));
  const auto back = cut_at_antimeridian(std::vector<PlanePoint>{{-179, 0}, {179, 2}});
  REQUIRE(back.size() == 2);
  CHECK(back[0].back() == PlanePoint{-180, 1});
  CHECK(back[1].front() == PlanePoint{180, 1});
}

TEST_CASE("an area's ring is closed and goes counterclockwise, whichever way it was drawn") {
  const std::vector<PlanePoint> ring{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
  CHECK(counterclockwise_ring({{0, 0}, {1, 0}, {1, 1}, {0, 1}}) == ring);
  const auto turned = counterclockwise_ring({{0, 1}, {1, 1}, {1, 0}, {0, 0}});
  CHECK(turned == ring);
  const GeoShape shape{.kind = "zone", .name = "z", .points = ring, .is_area = true};
  const auto json = nlohmann::json::parse(geojson_text({}, std::vector{shape}));
  CHECK(json.at("features")[0].at("geometry").at("type") == "Polygon");
}

TEST_CASE("tracks without a position are named, and gaps are passed over") {
  std::vector<Sighting> sightings(3);
  sightings[0].track = 1, sightings[1].track = 2, sightings[2].track = 1;
  sightings[0].ground.latitude = 50.0, sightings[0].ground.longitude = 14.0;
  const GeoTracks found = geo_tracks(sightings);
  REQUIRE(found.tracks.size() == 1);
  CHECK(found.tracks[0].fixes.size() == 1);
  CHECK(found.without_position == std::vector<int64_t>{2});
}

TEST_CASE("KML has a placemark for each track and shape, with safe names") {
  const GeoShape shape{
      .kind = "zone", .name = "a<b&c", .points = {{0, 0}, {0, 1}, {1, 1}}, .is_area = true};
  const std::string text =
      kml_text(std::vector{track_over({{14.25, 50.0}, {14.5, 50.125}})}, std::vector{shape});
  CHECK(text.find("<name>zone a&lt;b&amp;c</name>") != std::string::npos);
  CHECK(text.find("<LineString><tessellate>1</tessellate><coordinates>14.25000000,50.00000000 "
                  "14.50000000,50.12500000</coordinates></LineString>") != std::string::npos);
  CHECK(text.find("<coordinates>1.00000000,1.00000000 0.00000000,1.00000000 0.00000000,0.00000000 "
                  "1.00000000,1.00000000</coordinates>") != std::string::npos);
}
