#include "apps/drone/count/incident_rules.hpp"

namespace shingle::drone {
namespace {

constexpr double wrong_way_cosine = -0.5;  // 120 degrees

IncidentRule wrong_way_rule(const Lane& lane, const CountLimits& limits) {
  const PlanePoint along = lane.direction.end - lane.direction.begin;
  const auto is_wrong = [corners = lane.corners,
                         along](const PathPoint& point) -> std::optional<bool> {
    if (!contains(corners, point.at)) return false;
    if (!point.velocity || !point.stands) return std::nullopt;
    return !*point.stands && dot(*point.velocity, along) <
                                 wrong_way_cosine * length_of(*point.velocity) * length_of(along);
  };
  return {IncidentKind::wrong_way, lane.name, limits.incident_seconds, is_wrong};
}

IncidentRule overspeed_rule(const std::string& place, const std::vector<PlanePoint>& corners,
                            double limit_kmh, const CountLimits& limits) {
  const auto is_fast = [corners, limit_kmh](const PathPoint& point) -> std::optional<bool> {
    if (!contains(corners, point.at)) return false;
    if (!point.speed_mps) return std::nullopt;
    return kmh_per_mps * *point.speed_mps > limit_kmh;
  };
  return {IncidentKind::overspeed, place, limits.incident_seconds, is_fast};
}

}  // namespace

std::vector<IncidentRule> incident_rules(const Site& site) {
  std::vector<IncidentRule> rules;
  for (const Lane& lane : site.lanes) {
    rules.push_back(wrong_way_rule(lane, site.limits));
    if (lane.limit_kmh)
      rules.push_back(overspeed_rule(lane.name, lane.corners, *lane.limit_kmh, site.limits));
  }
  for (const Zone& zone : site.zones)
    if (zone.limit_kmh)
      rules.push_back(overspeed_rule(zone.name, zone.corners, *zone.limit_kmh, site.limits));
  rules.push_back({IncidentKind::stopped, "", site.limits.stopped_seconds,
                   [](const PathPoint& point) { return point.stands; }});
  return rules;
}

std::string place_name(PlanePoint point, const Site& site) {
  for (const Zone& zone : site.zones)
    if (contains(zone.corners, point)) return zone.name;
  for (const Lane& lane : site.lanes)
    if (contains(lane.corners, point)) return lane.name;
  return {};
}

}  // namespace shingle::drone
