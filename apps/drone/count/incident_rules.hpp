// What counts as an incident, point by point, and how long it must last: incidents.hpp says it in
// words. Whole tracks and tracks that still go on are judged by the same rules.
#pragma once

#include <functional>
#include <vector>

#include "apps/drone/count/incidents.hpp"

namespace shingle::drone {

struct IncidentRule {
  IncidentKind kind = IncidentKind::wrong_way;
  std::string place{};         // the lane's or zone's name; empty: anywhere
  double least_seconds = 0.0;  // from its first point to its last one
  // None: it is not known of this point.
  std::function<std::optional<bool>(const PathPoint&)> holds{};
};

// REQUIRES: the site lies in the plane of the points.
std::vector<IncidentRule> incident_rules(const Site& site);

// The first zone, else lane, in which the point lies; empty: in none.
std::string place_name(PlanePoint point, const Site& site);

}  // namespace shingle::drone
