// What is known of a track in a frame, as JSON: in lines of `run --json` and in events.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/drone/count/sighting.hpp"

namespace shingle::drone {

// {"id":4,"class":2,"name":"car","score":0.8,"box":[x,y,w,h],"key":[x,y],"east_m":..,"north_m":..,
//  "latitude":..,"longitude":..,"speed_kmh":..,"speed_95_kmh":..,"heading_deg":..}
// What is not known is left out.
nlohmann::ordered_json sighting_json(const Sighting& sighting, const std::string& name);

double rounded(double value, double places);  // to whole 1 / places

}  // namespace shingle::drone
