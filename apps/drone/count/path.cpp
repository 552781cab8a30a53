#include "apps/drone/count/path.hpp"

#include <map>

#include "apps/drone/boxes/picture_border.hpp"
#include "apps/drone/count/point_motion.hpp"

namespace shingle::drone {
namespace {

// `whole`: the indices of points whose boxes are not cut.
void find_velocities(Path& path, std::span<const size_t> whole, bool is_metric) {
  std::vector<Moment2D> moments;
  for (const size_t index : whole)
    moments.push_back({path.points[index].seconds, path.points[index].at});
  for (size_t index = 0; index < whole.size(); ++index) {
    PathPoint& point = path.points[whole[index]];
    set_motion(point, slope_at(moments, index), is_metric, path.extent);
  }
}

void find_facings(Path& path) {
  std::optional<PlanePoint> facing, first;
  for (PathPoint& point : path.points) {
    if (point.stands == false) facing = (1.0 / length_of(*point.velocity)) * *point.velocity;
    if (!first) first = facing;
    point.facing = facing;
  }
  for (PathPoint& point : path.points)
    if (!point.facing) point.facing = first;
}

}  // namespace

std::optional<double> half_passage_seconds(const Path& path, size_t point) {
  const auto& velocity = path.points[point].velocity;
  if (!velocity || !path.extent || path.points[point].stands.value_or(true)) return std::nullopt;
  return path.extent->length / 2.0 / length_of(*velocity);
}

Paths paths_of(std::span<const Sighting> sightings, const SitePlane& plane,
               const PictureSize& picture) {
  std::map<int64_t, std::vector<const Sighting*>> by_track;
  for (const Sighting& each : sightings) by_track[each.track].push_back(&each);
  const PictureTurns turns(sightings);
  Paths found;
  for (const auto& [track, seen] : by_track) {
    Path path{.track = track, .class_id = seen.back()->class_id};
    std::vector<size_t> whole;
    for (const Sighting* each : seen) {
      const auto at = plane.place_of(*each);
      if (!at) continue;
      if (!touches_border(each->box, picture.width, picture.height))
        whole.push_back(path.points.size());
      path.points.push_back({.frame = each->frame,
                             .seconds = each->seconds,
                             .at = *at,
                             .speed_mps = each->ground.speed_mps.value});
    }
    if (path.points.empty()) {
      found.without_place.push_back(track);
      continue;
    }
    if (plane.is_metric()) path.extent = stated_extent(seen);
    if (!path.extent) path.extent = boxed_extent(seen, plane, picture, turns);
    find_velocities(path, whole, plane.is_metric());
    find_facings(path);
    found.paths.push_back(std::move(path));
  }
  return found;
}

}  // namespace shingle::drone
