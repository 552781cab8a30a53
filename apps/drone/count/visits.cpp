#include "apps/drone/count/visits.hpp"

#include <algorithm>
#include <tuple>

namespace shingle::drone {
namespace {

// When the path from `a` to `b`, of which one is inside, meets the border: the meeting nearest to
// the outer one.
double border_seconds(const PathPoint& outside, const PathPoint& inside,
                      std::span<const PlanePoint> corners) {
  double nearest = 1.0;
  for (size_t index = 0; index < corners.size(); ++index) {
    const PlaneSegment side{corners[index], corners[(index + 1) % corners.size()]};
    if (const auto share = meeting({outside.at, inside.at}, side))
      nearest = std::min(nearest, *share);
  }
  return outside.seconds + nearest * (inside.seconds - outside.seconds);
}

}  // namespace

std::vector<Visit> visits_of(const Path& path, size_t zone_index, const Zone& zone,
                             const CountLimits& limits) {
  std::vector<Visit> visits;
  const auto& points = path.points;
  for (size_t index = 0; index < points.size();) {
    if (!contains(zone.corners, points[index].at)) {
      ++index;
      continue;
    }
    const size_t first = index;
    while (index < points.size() && contains(zone.corners, points[index].at)) ++index;
    const size_t last = index - 1;
    const bool is_held = last - first + 1 >= limits.hold_frames;
    // A short stay outside is flicker on the border, a short stay inside as well.
    if (!visits.empty() && first - visits.back().last_point - 1 < limits.hold_frames) {
      visits.back().last_point = last;
      continue;
    }
    if (is_held)
      visits.push_back({.zone = zone_index,
                        .track = path.track,
                        .class_id = path.class_id,
                        .first_point = first,
                        .last_point = last});
  }
  for (Visit& visit : visits) {
    const size_t first = visit.first_point, last = visit.last_point;
    visit.saw_entry = first > 0;
    visit.saw_exit = last + 1 < points.size();
    visit.entry_seconds = visit.saw_entry
                              ? border_seconds(points[first - 1], points[first], zone.corners)
                              : points[first].seconds;
    visit.exit_seconds = visit.saw_exit
                             ? border_seconds(points[last + 1], points[last], zone.corners)
                             : points[last].seconds;
  }
  return visits;
}

std::vector<Visit> all_visits(std::span<const Path> paths, const Site& site) {
  std::vector<Visit> all;
  for (size_t zone = 0; zone < site.zones.size(); ++zone)
    for (const Path& path : paths) {
      const auto visits = visits_of(path, zone, site.zones[zone], site.limits);
      all.insert(all.end(), visits.begin(), visits.end());
    }
  std::sort(all.begin(), all.end(), [](const Visit& a, const Visit& b) {
    return std::tuple(a.zone, a.entry_seconds, a.track) <
           std::tuple(b.zone, b.entry_seconds, b.track);
  });
  return all;
}

}  // namespace shingle::drone
