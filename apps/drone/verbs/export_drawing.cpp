#include "apps/drone/verbs/export_drawing.hpp"

#include <algorithm>

#include "apps/drone/results/site_file.hpp"
#include "apps/drone/verbs/run_notes.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

// The lane that is named, or the only one.
Result<Lane> lane_of(const Site& site, const ExportVerbOptions& options) {
  if (options.lane.empty() && site.lanes.size() == 1) return site.lanes.front();
  const auto lane = std::find_if(site.lanes.begin(), site.lanes.end(),
                                 [&](const Lane& each) { return each.name == options.lane; });
  if (lane != site.lanes.end()) return *lane;
  if (options.site.empty())
    return usage_error("a time-space diagram needs --site FILE with a [[lane]]");
  if (site.lanes.empty())
    return bad_input(in_quotes(options.site) +
                     " has no [[lane]], and a time-space diagram is drawn along one; add it");
  std::string names;
  for (const Lane& each : site.lanes) names.append(" ").append(each.name);
  return usage_error("name the lane of the time-space diagram by --lane; the site has" + names);
}

}  // namespace

Result<PngBytes> drawing(const Run& run, const ExportVerbOptions& options) {
  Site site;
  if (!options.site.empty()) {
    auto loaded = load_site(options.site);
    if (!loaded) return loaded.failure();
    site = std::move(*loaded);
  }
  const auto plane = SitePlane::of(site);
  if (!plane) return plane.failure();
  const auto drawn = plane->drawn(site);
  if (!drawn) return drawn.failure();
  const Paths found = paths_of(run.sightings, *plane);
  if (found.paths.empty())
    return bad_input("no track of the run in " + in_quotes(options.run) +
                     " has a place to be drawn at; give --site FILE in coordinates of the run");
  note_left_out(found.without_place, "place in the picture that is drawn");
  if (options.format == "heatmap") return heatmap_png(found.paths, plane->y_points_down());
  const auto lane = lane_of(*drawn, options);
  if (!lane) return lane.failure();
  const TimeSpace diagram = time_space(found.paths, *lane);
  if (diagram.lines.empty())
    return bad_input("no track of the run was in the lane " + in_quotes(lane->name) +
                     "; check its points");
  return time_space_png(diagram, plane->is_metric() ? "m" : "px");
}

}  // namespace shingle::drone
