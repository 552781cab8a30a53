#include "apps/drone/count/incidents.hpp"

#include <algorithm>
#include <tuple>

#include "apps/drone/count/incident_rules.hpp"

namespace shingle::drone {
namespace {

struct Span {
  size_t first = 0, last = 0;  // points for which it holds
};

// Stretches of points for which the rule holds, long enough. Points for which it is not known are
// passed over.
std::vector<Span> stretches(const Path& path, const IncidentRule& rule) {
  std::vector<Span> found;
  std::optional<Span> open;
  const auto close = [&] {
    if (open &&
        path.points[open->last].seconds - path.points[open->first].seconds >= rule.least_seconds)
      found.push_back(*open);
    open.reset();
  };
  for (size_t index = 0; index < path.points.size(); ++index) {
    const auto answer = rule.holds(path.points[index]);
    if (!answer) continue;
    if (!*answer) {
      close();
    } else if (open) {
      open->last = index;
    } else {
      open = Span{index, index};
    }
  }
  close();
  return found;
}

double greatest_kmh(const Path& path, const Span& span) {
  double greatest = 0.0;
  for (size_t index = span.first; index <= span.last; ++index)
    greatest = std::max(greatest, path.points[index].speed_mps.value_or(0.0));
  return kmh_per_mps * greatest;
}

}  // namespace

std::vector<Incident> incidents_of(std::span<const Path> paths, const Site& site) {
  std::vector<Incident> incidents;
  const std::vector<IncidentRule> rules = incident_rules(site);
  for (const Path& path : paths)
    for (const IncidentRule& rule : rules)
      for (const Span& span : stretches(path, rule)) {
        const PathPoint &first = path.points[span.first], &last = path.points[span.last];
        incidents.push_back(
            {.kind = rule.kind,
             .track = path.track,
             .class_id = path.class_id,
             .place = rule.kind == IncidentKind::stopped ? place_name(first.at, site) : rule.place,
             .begin_seconds = first.seconds,
             .end_seconds = last.seconds});
        if (rule.kind == IncidentKind::overspeed)
          incidents.back().greatest_kmh = greatest_kmh(path, span);
      }
  std::sort(incidents.begin(), incidents.end(), [](const Incident& a, const Incident& b) {
    return std::tie(a.begin_seconds, a.track, a.kind, a.place) <
           std::tie(b.begin_seconds, b.track, b.kind, b.place);
  });
  return incidents;
}

}  // namespace shingle::drone
