// Who passes the gates of a place, and when: the truth that counts are held against.
#pragma once

#include "apps/scene/flight/scene_flight.hpp"
#include "apps/scene/network/road_network.hpp"

namespace shingle {

struct GateCrossing {
  size_t gate = 0;  // index of the gates given
  uint32_t vehicle = 0;
  VehicleClass vehicle_class = VehicleClass::car;
  bool is_forward = true;
  double seconds = 0.0;  // of its middle
};

// Who passes a gate between two moments. Vehicles are matched by their ids; in between they drive
// straight and evenly.
struct TrafficMoment {
  double seconds = 0.0;
  std::vector<Vehicle> vehicles;
};
std::vector<GateCrossing> crossings_between(const TrafficMoment& before, const TrafficMoment& after,
                                            const std::vector<GateLine>& gates);

// A vehicle's way: from the first gate that it passes to the last one.
struct GateTurn {
  uint32_t vehicle = 0;
  size_t from = 0, to = 0;
};
// By vehicle. REQUIRES: crossings by time.
std::vector<GateTurn> turns_of(const std::vector<GateCrossing>& crossings);

// Gates that lie in the picture, with some room, at both these times.
std::vector<GateLine> gates_in_picture(const std::vector<GateLine>& gates,
                                       const SceneFlight& flight);

// A site for `shingle-drone count`, in WGS84.
std::string site_toml(const std::vector<GateLine>& gates, const WorldPlace& place);

// gate,vehicle,class,direction,seconds
std::string crossings_csv(const std::vector<GateCrossing>& crossings,
                          const std::vector<GateLine>& gates);

// {"lines":[{"name":..,"forward":{"all":3,"car":2,..},"backward":{..}}],
//  "turns":[{"from":..,"to":..,"vehicles":2}]}
std::string counts_json(const std::vector<GateCrossing>& crossings,
                        const std::vector<GateLine>& gates);

}  // namespace shingle
