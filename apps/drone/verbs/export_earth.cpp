#include "apps/drone/verbs/export_earth.hpp"

#include <span>

#include "apps/drone/count/site_plane.hpp"
#include "apps/drone/results/frames_csv.hpp"
#include "apps/drone/results/geo_text.hpp"
#include "apps/drone/results/map_grid.hpp"
#include "apps/drone/results/site_file.hpp"
#include "apps/drone/verbs/run_notes.hpp"

namespace shingle::drone {
namespace {

// What the site knows of the earth: where its plane is, and its own shapes.
struct SiteOnEarth {
  SitePlane plane;
  std::vector<GeoShape> shapes{};
};

GeoShape shape_of(const SitePlane& plane, const std::string& kind, const std::string& name,
                  std::span<const PlanePoint> points, bool is_area) {
  GeoShape shape{.kind = kind, .name = name, .is_area = is_area};
  for (const PlanePoint& point : points) {
    const auto place = plane.to_wgs84(point);
    shape.points.push_back({place->longitude, place->latitude});
  }
  return shape;
}

Result<SiteOnEarth> site_on_earth(const std::string& path) {
  const auto site = load_site(path);
  if (!site) return site.failure();
  const auto plane = SitePlane::of(*site);
  if (!plane) return plane.failure();
  if (!plane->to_wgs84({}))
    return bad_input("'" + path +
                     "' has neither points in WGS84 nor ground points in WGS84; add ground points, "
                     "so that pixels have a place on the earth");
  const auto drawn = plane->drawn(*site);
  if (!drawn) return drawn.failure();
  SiteOnEarth on_earth{.plane = *plane};
  const auto add = [&](const char* kind, const std::string& name,
                       std::span<const PlanePoint> points, bool is_area) {
    on_earth.shapes.push_back(shape_of(*plane, kind, name, points, is_area));
  };
  for (const CountLine& line : drawn->lines)
    add("line", line.name, std::vector{line.segment.begin, line.segment.end}, false);
  for (const Zone& zone : drawn->zones) add("zone", zone.name, zone.corners, true);
  for (const Lane& lane : drawn->lanes) add("lane", lane.name, lane.corners, true);
  return on_earth;
}

// Sightings that state no position get the one that the site gives them.
void add_positions(std::vector<Sighting>& sightings, const SitePlane& plane) {
  for (Sighting& each : sightings) {
    if (each.ground.latitude && each.ground.longitude) continue;
    const auto place = plane.place_of(each);
    if (!place) continue;
    const auto on_earth = plane.to_wgs84(*place);
    each.ground.latitude = on_earth->latitude;
    each.ground.longitude = on_earth->longitude;
  }
}

// Places of the map grid in place of the run's own, if it has any.
Status add_places(Run& run, const std::string& crs) {
  if (crs.empty()) return success();
  const auto grid = MapGrid::open(crs);
  if (!grid) return grid.failure();
  for (Sighting& each : run.sightings) {
    if (!each.ground.latitude || !each.ground.longitude) continue;
    const auto place = grid->place_of(*each.ground.latitude, *each.ground.longitude);
    if (!place) return place.failure();
    each.map = *place;
  }
  run.info.crs = grid->code();
  return success();
}

std::string table_text(const Run& run, bool has_positions) {
  const FrameColumns columns{.has_ground = run.info.has_ground || has_positions,
                             .has_map = !run.info.crs.empty()};
  std::string text = frames_header(columns);
  for (const Sighting& each : run.sightings) text += frames_line(each, columns);
  return text;
}

}  // namespace

Result<std::string> earth_text(Run& run, const ExportVerbOptions& options) {
  std::vector<GeoShape> shapes;
  if (!options.site.empty()) {
    auto site = site_on_earth(options.site);
    if (!site) return site.failure();
    add_positions(run.sightings, site->plane);
    shapes = std::move(site->shapes);
  }
  if (const Status added = add_places(run, options.crs); !added) return added.failure();
  const GeoTracks found = geo_tracks(run.sightings);
  if (options.format == "csv" && run.info.crs.empty())
    return table_text(run, !found.tracks.empty());
  if (found.tracks.empty() && !found.without_position.empty())
    return bad_input("no track of the run in '" + options.run +
                     "' has latitude and longitude; give --site FILE with ground points in WGS84");
  if (options.format == "csv") return table_text(run, true);
  note_left_out(found.without_position, "position on the earth");
  return options.format == "kml" ? kml_text(found.tracks, shapes)
                                 : geojson_text(found.tracks, shapes, run.info.crs);
}

}  // namespace shingle::drone
