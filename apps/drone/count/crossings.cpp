#include "apps/drone/count/crossings.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/drone/count/side_watch.hpp"

namespace shingle::drone {
namespace {

// Vehicles beside each other have no gap: the one behind is there before the one ahead has left.
void measure_headways(std::span<Crossing> all) {
  const auto front = [](const Crossing& each) { return each.front_seconds.value_or(each.seconds); };
  std::vector<Crossing*> by_front;
  for (Crossing& each : all) by_front.push_back(&each);
  std::stable_sort(by_front.begin(), by_front.end(), [&](const Crossing* a, const Crossing* b) {
    return std::tuple(a->line, front(*a)) < std::tuple(b->line, front(*b));
  });
  std::array<const Crossing*, 2> before{};
  size_t line = 0;
  for (Crossing* each : by_front) {
    if (std::exchange(line, each->line) != each->line) before = {};
    const Crossing*& ahead = before[static_cast<size_t>(each->direction)];
    if (ahead != nullptr && ahead->track != each->track) {
      each->headway_is_of_centres = !ahead->front_seconds || !each->front_seconds;
      each->headway_seconds = each->headway_is_of_centres
                                  ? std::max(0.0, each->seconds - ahead->seconds)
                                  : front(*each) - front(*ahead);
      if (ahead->rear_seconds && each->front_seconds &&
          *each->front_seconds >= *ahead->rear_seconds)
        each->gap_seconds = *each->front_seconds - *ahead->rear_seconds;
    }
    ahead = each;
  }
}

}  // namespace

std::vector<Crossing> crossings_of(const Path& path, size_t line_index, const CountLine& line,
                                   const CountLimits& limits, bool right_is_positive) {
  std::vector<Crossing> crossings;
  SideWatch sides(line.segment, limits);
  for (size_t index = 0; index < path.points.size(); ++index) {
    const auto passage = sides.see({index, path.points[index].seconds, path.points[index].at});
    if (!passage) continue;
    Crossing crossing{.line = line_index,
                      .track = path.track,
                      .class_id = path.class_id,
                      .direction = passage->direction(right_is_positive),
                      .seconds = passage->seconds};
    if (const auto half = half_passage_seconds(path, passage->nearest)) {
      crossing.front_seconds = crossing.seconds - *half;
      crossing.rear_seconds = crossing.seconds + *half;
    }
    crossings.push_back(crossing);
  }
  return crossings;
}

std::vector<Crossing> all_crossings(std::span<const Path> paths, const Site& site,
                                    bool right_is_positive) {
  std::vector<Crossing> all;
  for (size_t line = 0; line < site.lines.size(); ++line)
    for (const Path& path : paths) {
      const auto crossings =
          crossings_of(path, line, site.lines[line], site.limits, right_is_positive);
      all.insert(all.end(), crossings.begin(), crossings.end());
    }
  const auto key = [](const Crossing& each) {
    return std::tuple(each.line, each.seconds, each.track);
  };
  std::sort(all.begin(), all.end(),
            [&](const Crossing& a, const Crossing& b) { return key(a) < key(b); });
  measure_headways(all);
  return all;
}

}  // namespace shingle::drone
