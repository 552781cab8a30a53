#include "apps/drone/pipeline/sighting_json.hpp"

#include <cmath>
#include <optional>

namespace shingle::drone {
namespace {

using Json = nlohmann::ordered_json;

void add(Json& json, const char* key, const std::optional<double>& value, double places,
         double factor = 1.0) {
  if (value) json[key] = rounded(*value * factor, places);
}

}  // namespace

double rounded(double value, double places) { return std::round(value * places) / places; }

nlohmann::ordered_json sighting_json(const Sighting& sighting, const std::string& name) {
  const PixelBox& box = sighting.box;
  Json json{{"id", sighting.track},
            {"class", sighting.class_id},
            {"name", name},
            {"score", rounded(sighting.score, 1e4)}};
  for (const double value : {box.x, box.y, box.w, box.h})
    json["box"].push_back(rounded(value, 100.0));
  if (sighting.key)
    json["key"] = {rounded(sighting.key->x, 100.0), rounded(sighting.key->y, 100.0)};
  const GroundReading& ground = sighting.ground;
  add(json, "east_m", ground.x_metres.value, 1e3);
  add(json, "north_m", ground.y_metres.value, 1e3);
  add(json, "latitude", ground.latitude, 1e8);
  add(json, "longitude", ground.longitude, 1e8);
  add(json, "speed_kmh", ground.speed_mps.value, 100.0, kmh_per_mps);
  add(json, "speed_95_kmh", ground.speed_mps.half_width, 100.0, kmh_per_mps);
  add(json, "heading_deg", ground.heading_degrees.value, 10.0);
  return json;
}

}  // namespace shingle::drone
