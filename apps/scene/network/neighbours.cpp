#include "apps/scene/network/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace shingle {
namespace {

constexpr double side_by_side = 3.0;     // metres between the middles of two that pass each other
constexpr double crossing_angle = 0.35;  // radians; below, both run along each other
constexpr double longest_fork = 90.0;    // metres

// The point of the path that is nearest, and how far it is away.
std::pair<size_t, double> nearest(const LanePath& path, cv::Point2d at, double within) {
  std::pair<size_t, double> best{0, 1e9};
  const auto count = std::min(path.points.size(), static_cast<size_t>(within / path.spacing) + 2);
  for (size_t i = 0; i < count; ++i) {
    const cv::Point2d off = path.points[i] - at;
    const double distance = std::hypot(off.x, off.y);
    if (distance < best.second) best = {i, distance};
  }
  return best;
}

double parting_of(const LanePath& path, const LanePath& other) {
  for (size_t i = 0; i < other.points.size(); ++i) {
    const double s = other.spacing * static_cast<double>(i);
    if (s > longest_fork) break;
    if (nearest(path, other.points[i], longest_fork + 5.0).second > side_by_side) return s;
  }
  return length_of(other);
}

double zone_of(const LanePath& merging, const LanePath& lane) {
  for (size_t i = 0; i + 1 < lane.points.size(); ++i) {
    const double s = lane.spacing * static_cast<double>(i);
    const auto [point, distance] = nearest(merging, lane.points[i], length_of(merging));
    if (distance > side_by_side + 0.3) continue;
    const double angle = pose_on(merging, merging.spacing * static_cast<double>(point)).heading -
                         pose_on(lane, s).heading;
    // Lanes that run along each other keep vehicles apart by their distances to the merge.
    if (std::abs(std::remainder(angle, 2 * CV_PI)) > crossing_angle) return length_of(lane) - s;
  }
  return 0.0;
}

}  // namespace

void find_siblings(RoadNetwork& network) {
  for (const RoadSegment& before : network.segments)
    for (const size_t one : before.next)
      for (const size_t other : before.next)
        if (one != other)
          network.segments[one].siblings.push_back(
              {other, parting_of(network.segments[one].path, network.segments[other].path)});
}

void find_merge_zones(RoadNetwork& network) {
  for (RoadSegment& merging : network.segments)
    for (const size_t lane : merging.gives_way_to)
      merging.merge_zone =
          std::max(merging.merge_zone, zone_of(merging.path, network.segments[lane].path));
}

}  // namespace shingle
