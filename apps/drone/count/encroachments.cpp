#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "apps/drone/count/conflicts.hpp"

namespace shingle::drone {
namespace {

struct Occupation {
  const Path* path = nullptr;
  const Visit* visit = nullptr;
  double entry = 0.0, exit = 0.0;  // of the front, of the rear
};

std::optional<double> angle_between(const PathPoint& a, const PathPoint& b) {
  if (!a.facing || !b.facing) return std::nullopt;
  const double cosine = std::clamp(dot(*a.facing, *b.facing), -1.0, 1.0);
  return std::acos(cosine) * 180.0 / std::numbers::pi;
}

std::optional<Encroachment> encroachment(const Occupation& first, const Occupation& second,
                                         double limit) {
  const double time = second.entry - first.exit;
  if (time <= 0.0 || time > limit) return std::nullopt;
  return Encroachment{
      .zone = second.visit->zone,
      .first = first.visit->track,
      .second = second.visit->track,
      .seconds = second.entry,
      .encroachment_seconds = time,
      .angle_degrees = angle_between(first.path->points[first.visit->last_point],
                                     second.path->points[second.visit->first_point])};
}

std::vector<Occupation> occupations(std::span<const Path> paths, std::span<const Visit> visits,
                                    size_t zone) {
  std::map<int64_t, const Path*> by_track;
  for (const Path& path : paths) by_track[path.track] = &path;
  std::vector<Occupation> found;
  for (const Visit& visit : visits) {
    if (visit.zone != zone) continue;
    const Path& path = *by_track.at(visit.track);
    found.push_back(
        {.path = &path,
         .visit = &visit,
         .entry = visit.entry_seconds - half_passage_seconds(path, visit.first_point).value_or(0.0),
         .exit = visit.exit_seconds + half_passage_seconds(path, visit.last_point).value_or(0.0)});
  }
  return found;
}

}  // namespace

std::vector<Encroachment> encroachments(std::span<const Path> paths, std::span<const Visit> visits,
                                        const Site& site) {
  std::vector<Encroachment> found;
  for (size_t zone = 0; zone < site.zones.size(); ++zone) {
    if (!site.zones[zone].is_conflict_area) continue;
    const auto inside = occupations(paths, visits, zone);
    for (const Occupation& second : inside) {
      if (!second.visit->saw_entry) continue;
      const Occupation* last = nullptr;  // who left last before the second one came
      for (const Occupation& first : inside) {
        if (!first.visit->saw_exit || first.visit->track == second.visit->track) continue;
        if (first.exit >= second.entry) continue;
        if (last == nullptr ||
            std::tie(first.exit, first.visit->track) > std::tie(last->exit, last->visit->track))
          last = &first;
      }
      if (last == nullptr) continue;
      if (const auto each = encroachment(*last, second, site.limits.encroachment_seconds))
        found.push_back(*each);
    }
  }
  std::sort(found.begin(), found.end(), [](const Encroachment& a, const Encroachment& b) {
    return std::tie(a.seconds, a.zone, a.second) < std::tie(b.seconds, b.zone, b.second);
  });
  return found;
}

}  // namespace shingle::drone
