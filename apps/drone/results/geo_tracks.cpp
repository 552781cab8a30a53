#include "apps/drone/results/geo_tracks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace shingle::drone {

GeoTracks geo_tracks(std::span<const Sighting> sightings) {
  std::map<int64_t, GeoTrack> by_track;
  for (const Sighting& each : sightings) {
    GeoTrack& track = by_track[each.track];
    track.track = each.track;
    track.class_id = each.class_id;
    if (each.ground.latitude && each.ground.longitude)
      track.fixes.push_back(
          {each.seconds, {*each.ground.longitude, *each.ground.latitude}, each.map});
  }
  GeoTracks found;
  for (auto& [id, track] : by_track) {
    if (track.fixes.empty())
      found.without_position.push_back(id);
    else
      found.tracks.push_back(std::move(track));
  }
  return found;
}

std::vector<std::vector<PlanePoint>> cut_at_antimeridian(std::span<const PlanePoint> points) {
  std::vector<std::vector<PlanePoint>> pieces(1);
  for (const PlanePoint& point : points) {
    if (!pieces.back().empty()) {
      const PlanePoint before = pieces.back().back();
      if (std::abs(point.x - before.x) > 180.0) {
        const double border = before.x > 0.0 ? 180.0 : -180.0;
        const double to_border = border - before.x, beyond = point.x + border;
        const double whole = to_border + beyond;
        const double share = whole == 0.0 ? 0.0 : to_border / whole;
        const double latitude = before.y + share * (point.y - before.y);
        if (before.x != border) pieces.back().push_back({border, latitude});
        pieces.push_back({});
        if (point.x != -border) pieces.back().push_back({-border, latitude});
      }
    }
    pieces.back().push_back(point);
  }
  return pieces;
}

std::vector<PlanePoint> counterclockwise_ring(std::vector<PlanePoint> corners) {
  if (area_of(corners) < 0.0) std::reverse(corners.begin(), corners.end());
  if (!corners.empty()) corners.push_back(corners.front());
  return corners;
}

}  // namespace shingle::drone
