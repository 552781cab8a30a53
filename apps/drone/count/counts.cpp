#include "apps/drone/count/counts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace shingle::drone {
namespace {

using BinKey = std::tuple<size_t, Direction, int, int64_t>;  // place, direction, class, number

int64_t bin_of(double seconds, int minutes) {
  return static_cast<int64_t>(std::floor(seconds / (60.0 * minutes)));
}

std::vector<CountBin> listed(const std::map<BinKey, size_t>& bins) {
  std::vector<CountBin> list;
  for (const auto& [key, vehicles] : bins) {
    const auto& [place, direction, class_id, number] = key;
    list.push_back({place, class_id, direction, number, vehicles});
  }
  return list;
}

}  // namespace

Result<Counts> count_site(const Site& site, std::span<const Sighting> sightings,
                          const PictureSize& picture) {
  auto drawn = drawn_site(site);
  if (!drawn) return drawn.failure();
  const SitePlane& plane = drawn->plane;
  Counts counts{.site = std::move(drawn->site), .is_metric = plane.is_metric()};
  Paths found = paths_of(sightings, plane, picture);
  const std::vector<Path>& paths = found.paths;
  counts.tracks = paths.size();
  counts.without_place = std::move(found.without_place);
  counts.crossings = all_crossings(paths, counts.site, plane.y_points_down());
  counts.visits = all_visits(paths, counts.site);
  counts.turns = turns_of(counts.crossings, counts.visits, counts.site);
  counts.conflict_headways = conflict_headways(counts.crossings, counts.site);
  counts.incidents = incidents_of(paths, counts.site);
  counts.collision_courses = collision_courses(paths, counts.site.limits);
  counts.encroachments = encroachments(paths, counts.visits, counts.site);
  return counts;
}

std::vector<CountBin> line_bins(const Counts& counts, int minutes) {
  assert(minutes > 0);
  std::map<BinKey, size_t> bins;
  for (const Crossing& each : counts.crossings)
    ++bins[{each.line, each.direction, each.class_id, bin_of(each.seconds, minutes)}];
  return listed(bins);
}

std::vector<CountBin> zone_bins(const Counts& counts, int minutes) {
  assert(minutes > 0);
  std::map<BinKey, size_t> bins;
  for (const Visit& each : counts.visits)
    ++bins[{each.zone, Direction::forward, each.class_id, bin_of(each.entry_seconds, minutes)}];
  return listed(bins);
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t count = values.size();
  return {.count = count,
          .least = values.front(),
          .median = (values[(count - 1) / 2] + values[count / 2]) / 2.0,
          .mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count),
          .greatest = values.back()};
}

}  // namespace shingle::drone
