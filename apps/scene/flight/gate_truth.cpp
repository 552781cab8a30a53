#include "apps/scene/flight/gate_truth.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>
#include <map>
#include <optional>

namespace shingle {
namespace {

constexpr std::array all_classes{VehicleClass::car, VehicleClass::van, VehicleClass::truck,
                                 VehicleClass::bus};

double cross(cv::Point2d a, cv::Point2d b) { return a.x * b.y - a.y * b.x; }

// Which share of the way from `from` to `to` it is to the gate, if the way meets it.
std::optional<double> share_to_gate(cv::Point2d from, cv::Point2d to, const GateLine& gate) {
  const cv::Point2d along = gate.end - gate.begin;
  // Above 0 on the left of who looks along the gate. A middle that is on it counts as right.
  const double before = cross(along, from - gate.begin), after = cross(along, to - gate.begin);
  if ((before > 0) == (after > 0)) return std::nullopt;
  const double share = before / (before - after);
  const double on_gate = (from + (to - from) * share - gate.begin).dot(along) / along.dot(along);
  if (on_gate < 0 || on_gate > 1) return std::nullopt;
  return share;
}

std::string counted(const std::vector<GateCrossing>& crossings, size_t gate, bool is_forward) {
  std::map<VehicleClass, int> by_class;
  int all = 0;
  for (const GateCrossing& each : crossings)
    if (each.gate == gate && each.is_forward == is_forward) ++by_class[each.vehicle_class], ++all;
  std::string text = "{\"all\":" + std::to_string(all);
  for (const VehicleClass each : all_classes)
    text += std::string(",\"") + name_of(each) + "\":" + std::to_string(by_class[each]);
  return text + "}";
}

}  // namespace

std::vector<GateCrossing> crossings_between(const TrafficMoment& before, const TrafficMoment& after,
                                            const std::vector<GateLine>& gates) {
  std::map<uint32_t, const Vehicle*> earlier;
  for (const Vehicle& vehicle : before.vehicles) earlier[vehicle.id] = &vehicle;
  std::vector<GateCrossing> crossings;
  for (const Vehicle& vehicle : after.vehicles) {
    const auto found = earlier.find(vehicle.id);
    if (found == earlier.end()) continue;
    const cv::Point2d from = found->second->pose.at, to = vehicle.pose.at;
    for (size_t i = 0; i < gates.size(); ++i) {
      const auto share = share_to_gate(from, to, gates[i]);
      if (!share) continue;
      const bool is_forward = cross(gates[i].end - gates[i].begin, from - gates[i].begin) > 0;
      crossings.push_back({.gate = i,
                           .vehicle = vehicle.id,
                           .vehicle_class = vehicle.shape.vehicle_class,
                           .is_forward = is_forward,
                           .seconds = before.seconds + (after.seconds - before.seconds) * *share});
    }
  }
  std::sort(crossings.begin(), crossings.end(), [](const GateCrossing& a, const GateCrossing& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.vehicle < b.vehicle;
  });
  return crossings;
}

std::vector<GateTurn> turns_of(const std::vector<GateCrossing>& crossings) {
  std::map<uint32_t, std::vector<size_t>> passed;
  for (const GateCrossing& each : crossings) passed[each.vehicle].push_back(each.gate);
  std::vector<GateTurn> turns;
  for (const auto& [vehicle, gates] : passed)
    if (gates.size() > 1)
      turns.push_back({.vehicle = vehicle, .from = gates.front(), .to = gates.back()});
  return turns;
}

std::vector<GateLine> gates_in_picture(const std::vector<GateLine>& gates,
                                       const SceneFlight& flight) {
  constexpr double room = 0.03;  // of the picture's size, at each border
  const FlightOptions& options = flight.options();
  const double last = (options.frames - 1) / options.frames_per_second;
  const auto is_inside = [&](cv::Point2d at, double seconds) {
    const SceneView view = flight.view_at(seconds);
    if (depth_of(view, at, 0) <= 1.0) return false;
    const cv::Point2d seen = pixel(view, at, 0);
    const double x = room * view.size.width, y = room * view.size.height;
    return seen.x > x && seen.x < view.size.width - x && seen.y > y &&
           seen.y < view.size.height - y;
  };
  std::vector<GateLine> kept;
  for (const GateLine& gate : gates)
    if (is_inside(gate.begin, 0) && is_inside(gate.end, 0) && is_inside(gate.begin, last) &&
        is_inside(gate.end, last))
      kept.push_back(gate);
  return kept;
}

std::string site_toml(const std::vector<GateLine>& gates, const WorldPlace& place) {
  const auto earth = drone::LocalFrame::at(place.origin);
  assert(earth.ok());
  std::string names, lines;
  for (const GateLine& gate : gates) {
    names += (names.empty() ? "\"" : ", \"") + gate.name + "\"";
    const drone::GeoPoint a = earth->to_wgs84({gate.begin.x, gate.begin.y, 0});
    const drone::GeoPoint b = earth->to_wgs84({gate.end.x, gate.end.y, 0});
    char points[160];
    std::snprintf(points, sizeof points, "points = [[%.8f, %.8f], [%.8f, %.8f]]\n", a.latitude,
                  a.longitude, b.latitude, b.longitude);
    lines += "\n[[line]]\nname = \"" + gate.name + "\"\n" + points +
             "forward = \"in\"\nbackward = \"out\"\n";
  }
  return "coordinates = \"wgs84\"\ngates = [" + names + "]\n" + lines;
}

std::string crossings_csv(const std::vector<GateCrossing>& crossings,
                          const std::vector<GateLine>& gates) {
  std::string text = "gate,vehicle,class,direction,seconds\n";
  for (const GateCrossing& each : crossings) {
    char row[160];
    std::snprintf(row, sizeof row, "%s,%u,%s,%s,%.4f\n", gates[each.gate].name.c_str(),
                  each.vehicle, name_of(each.vehicle_class), each.is_forward ? "in" : "out",
                  each.seconds);
    text += row;
  }
  return text;
}

std::string counts_json(const std::vector<GateCrossing>& crossings,
                        const std::vector<GateLine>& gates) {
  std::string lines, turns;
  for (size_t i = 0; i < gates.size(); ++i)
    lines += std::string(i == 0 ? "" : ",") + "\n  {\"name\":\"" + gates[i].name +
             "\",\"in\":" + counted(crossings, i, true) +
             ",\"out\":" + counted(crossings, i, false) + "}";
  std::map<std::pair<size_t, size_t>, int> matrix;
  for (const GateTurn& turn : turns_of(crossings)) ++matrix[{turn.from, turn.to}];
  for (const auto& [way, vehicles] : matrix)
    turns += std::string(turns.empty() ? "" : ",") + "\n  {\"from\":\"" + gates[way.first].name +
             "\",\"to\":\"" + gates[way.second].name +
             "\",\"vehicles\":" + std::to_string(vehicles) + "}";
  return "{\"lines\":[" + lines + "],\n \"turns\":[" + turns + "]}\n";
}

}  // namespace shingle
