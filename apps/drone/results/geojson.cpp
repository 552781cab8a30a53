#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/drone/results/geo_text.hpp"

namespace shingle::drone {
namespace {

using Json = nlohmann::ordered_json;

double rounded(double degrees) { return std::round(degrees * 1e8) / 1e8; }  // a millimetre

Json position(PlanePoint point) { return {rounded(point.x), rounded(point.y)}; }

Json positions(std::span<const PlanePoint> points) {
  Json list = Json::array();
  for (const PlanePoint point : points) list.push_back(position(point));
  return list;
}

Json geometry(const char* type, Json coordinates) {
  return {{"type", type}, {"coordinates", std::move(coordinates)}};
}

Json line_geometry(std::span<const PlanePoint> points) {
  if (points.size() == 1) return geometry("Point", position(points.front()));
  const auto pieces = cut_at_antimeridian(points);
  if (pieces.size() == 1) return geometry("LineString", positions(points));
  Json list = Json::array();
  for (const auto& piece : pieces)
    if (piece.size() > 1) list.push_back(positions(piece));
  return geometry("MultiLineString", std::move(list));
}

double in_millimetres(double metres) { return std::round(metres * 1e3) / 1e3; }

// One number for each position.
void add_map(Json& properties, const GeoTrack& track, const std::string& crs) {
  Json east = Json::array(), north = Json::array();
  for (const GeoFix& fix : track.fixes) {
    east.push_back(fix.map ? Json(in_millimetres(fix.map->x)) : Json(nullptr));
    north.push_back(fix.map ? Json(in_millimetres(fix.map->y)) : Json(nullptr));
  }
  properties["grid"] = crs;
  properties["easting_m"] = std::move(east);
  properties["northing_m"] = std::move(north);
}

Json feature_of(const GeoTrack& track, const std::string& crs) {
  std::vector<PlanePoint> points;
  Json seconds = Json::array();
  for (const GeoFix& fix : track.fixes) {
    points.push_back(fix.at);
    seconds.push_back(fix.seconds);
  }
  Json properties{{"track", track.track},
                  {"class", track.class_id < 0 ? Json(nullptr) : Json(track.class_id)},
                  {"first_seconds", track.fixes.front().seconds},
                  {"last_seconds", track.fixes.back().seconds}};
  Json shape = line_geometry(points);
  if (shape["type"] == "LineString") properties["seconds"] = std::move(seconds);
  if (!crs.empty() && shape["type"] != "MultiLineString") add_map(properties, track, crs);
  return {{"type", "Feature"}, {"geometry", std::move(shape)}, {"properties", properties}};
}

Json feature_of(const GeoShape& shape) {
  Json drawn =
      shape.is_area
          ? geometry("Polygon", Json::array({positions(counterclockwise_ring(shape.points))}))
          : line_geometry(shape.points);
  return {{"type", "Feature"},
          {"geometry", std::move(drawn)},
          {"properties", {{"kind", shape.kind}, {"name", shape.name}}}};
}

}  // namespace

std::string geojson_text(std::span<const GeoTrack> tracks, std::span<const GeoShape> shapes,
                         const std::string& crs) {
  Json features = Json::array();
  for (const GeoShape& shape : shapes) features.push_back(feature_of(shape));
  for (const GeoTrack& track : tracks) features.push_back(feature_of(track, crs));
  return Json{{"type", "FeatureCollection"}, {"features", std::move(features)}}.dump() + "\n";
}

}  // namespace shingle::drone
