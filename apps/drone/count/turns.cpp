#include "apps/drone/count/turns.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace shingle::drone {
namespace {

struct Passage {
  double seconds = 0.0;
  size_t gate = 0;
  int class_id = -1;
};

struct ConflictTimes {
  std::vector<double> entered{}, conflicting{};  // growing
};

ConflictTimes times_of(const Entry& entry, std::span<const Crossing> crossings, const Site& site) {
  ConflictTimes times;
  for (const Crossing& each : crossings) {
    const std::string& name = site.lines[each.line].name;
    const double seconds = each.front_seconds.value_or(each.seconds);
    if (name == entry.line && each.direction == entry.direction) times.entered.push_back(seconds);
    if (name == entry.conflict && each.direction == entry.conflict_direction)
      times.conflicting.push_back(seconds);
  }
  std::sort(times.entered.begin(), times.entered.end());
  std::sort(times.conflicting.begin(), times.conflicting.end());
  return times;
}

}  // namespace

std::vector<Turn> turns_of(std::span<const Crossing> crossings, std::span<const Visit> visits,
                           const Site& site) {
  const std::vector<std::string> gates = gates_of(site);
  std::map<int64_t, std::vector<Passage>> by_track;
  for (size_t gate = 0; gate < gates.size(); ++gate) {
    for (const Crossing& each : crossings)
      if (site.lines[each.line].name == gates[gate])
        by_track[each.track].push_back({each.seconds, gate, each.class_id});
    for (const Visit& each : visits)
      if (site.zones[each.zone].name == gates[gate])
        by_track[each.track].push_back({each.entry_seconds, gate, each.class_id});
  }
  std::vector<Turn> turns;
  for (auto& [track, passages] : by_track) {
    if (passages.size() < 2) continue;
    const auto [first, last] = std::minmax_element(
        passages.begin(), passages.end(), [](const Passage& a, const Passage& b) {
          return std::tuple(a.seconds, a.gate) < std::tuple(b.seconds, b.gate);
        });
    turns.push_back({.track = track,
                     .class_id = first->class_id,
                     .from = first->gate,
                     .to = last->gate,
                     .from_seconds = first->seconds,
                     .to_seconds = last->seconds});
  }
  return turns;
}

std::vector<ConflictHeadway> conflict_headways(std::span<const Crossing> crossings,
                                               const Site& site) {
  std::vector<ConflictHeadway> headways;
  for (size_t index = 0; index < site.entries.size(); ++index) {
    const auto [entered, conflicting] = times_of(site.entries[index], crossings, site);
    for (size_t next = 1; next < conflicting.size(); ++next) {
      ConflictHeadway headway{
          .entry = index, .begin_seconds = conflicting[next - 1], .end_seconds = conflicting[next]};
      for (auto at = std::lower_bound(entered.begin(), entered.end(), headway.begin_seconds);
           at != entered.end() && *at < headway.end_seconds; ++at) {
        if (!headway.entered_seconds.empty()) {
          const double follow_up = *at - headway.entered_seconds.back();
          if (follow_up <= site.limits.follow_up_seconds)
            headway.follow_up_seconds.push_back(follow_up);
        }
        headway.entered_seconds.push_back(*at);
      }
      headways.push_back(std::move(headway));
    }
  }
  return headways;
}

}  // namespace shingle::drone
