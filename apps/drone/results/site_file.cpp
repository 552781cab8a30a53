#include "apps/drone/results/site_file.hpp"

#include "apps/drone/results/site_table.hpp"

namespace shingle::drone {
namespace {

constexpr size_t largest_text = 1 << 20;
constexpr double most_corners = 1000;
constexpr Bounds any_seconds{0.0, 3600.0};
const auto& coordinate_names = *new std::vector<std::string>{"pixels", "metres", "wgs84"};

Status read_line(const toml::table& table, Site& site) {
  SiteTable in(table, site, "[[line]]");
  in.refuse_keys_besides({"name", "points", "forward", "backward"});
  site.lines.push_back({.name = in.text("name", std::nullopt),
                        .segment = in.segment("points"),
                        .forward = in.text("forward", "forward", true),
                        .backward = in.text("backward", "backward", true),
                        .file_line = in.file_line()});
  if (site.lines.back().forward == site.lines.back().backward)
    in.fail("backward", "both directions have one name; give each its own");
  return in.status();
}

Status read_zone(const toml::table& table, Site& site) {
  SiteTable in(table, site, "[[zone]]");
  in.refuse_keys_besides({"name", "points", "conflict", "limit_kmh"});
  site.zones.push_back({.name = in.text("name", std::nullopt),
                        .corners = in.points("points", {3, most_corners}),
                        .is_conflict_area = in.truth("conflict", false),
                        .limit_kmh = in.limit_kmh(),
                        .file_line = in.file_line()});
  return in.status();
}

Status read_lane(const toml::table& table, Site& site) {
  SiteTable in(table, site, "[[lane]]");
  in.refuse_keys_besides({"name", "points", "direction", "limit_kmh"});
  site.lanes.push_back({.name = in.text("name", std::nullopt),
                        .corners = in.points("points", {3, most_corners}),
                        .direction = in.segment("direction"),
                        .limit_kmh = in.limit_kmh(),
                        .file_line = in.file_line()});
  return in.status();
}

Status read_entry(const toml::table& table, Site& site) {
  SiteTable in(table, site, "[[entry]]");
  in.refuse_keys_besides({"line", "direction", "conflict", "conflict_direction"});
  site.entries.push_back({.line = in.text("line", std::nullopt),
                          .conflict = in.text("conflict", std::nullopt),
                          .direction = in.direction("direction"),
                          .conflict_direction = in.direction("conflict_direction"),
                          .file_line = in.file_line()});
  return in.status();
}

Status read_ground_point(const toml::table& table, Site& site) {
  SiteTable in(table, site, "[[ground_point]]");
  in.refuse_keys_besides({"pixel", "wgs84", "metres"});
  const bool is_wgs84 = in.has("wgs84");
  if (is_wgs84 == in.has("metres"))
    in.fail("pixel", "a [[ground_point]] needs either 'wgs84' or 'metres'");
  if (!site.ground_points.empty() && is_wgs84 != site.ground_is_wgs84)
    in.fail("pixel", "some ground points have 'wgs84' and some 'metres'; give all in one of them");
  site.ground_is_wgs84 = is_wgs84;
  site.ground_points.push_back({.pixel = in.pair("pixel", false),
                                .ground = in.pair(is_wgs84 ? "wgs84" : "metres", is_wgs84),
                                .file_line = in.file_line()});
  return in.status();
}

Status read_limits(const toml::table& table, Site& site) {
  SiteTable in(table, site, "[limits]");
  in.refuse_keys_besides({"hold_frames", "hold_distance", "stopped_seconds", "incident_seconds",
                          "collision_seconds", "encroachment_seconds", "follow_up_seconds"});
  CountLimits& limits = site.limits;
  limits.hold_frames = static_cast<size_t>(
      in.whole("hold_frames", {1, 1000}, static_cast<int64_t>(limits.hold_frames)));
  limits.hold_distance =
      in.number("hold_distance", {0.0, farthest_coordinate}, limits.hold_distance);
  const auto seconds = [&](const char* key, double& value) {
    value = in.number(key, any_seconds, value);
  };
  seconds("stopped_seconds", limits.stopped_seconds);
  seconds("incident_seconds", limits.incident_seconds);
  seconds("collision_seconds", limits.collision_seconds);
  seconds("encroachment_seconds", limits.encroachment_seconds);
  seconds("follow_up_seconds", limits.follow_up_seconds);
  return in.status();
}

// Calls `read` for each table of the list `key`.
Status each_table(const toml::table& root, const char* key, Site& site,
                  Status (*read)(const toml::table&, Site&)) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return success();
  const toml::array* array = node->as_array();
  if (array == nullptr || array->empty() || !array->is_homogeneous<toml::table>()) {
    TomlTable in(root, site.file, "site");
    in.fail(key, "write " + in_quotes(key) + " as tables, each with [[" + key + "]] above it");
    return in.status();
  }
  for (const toml::node& each : *array)
    if (const Status good = read(*each.as_table(), site); !good) return good;
  return success();
}

Result<Site> read(const toml::table& root, const std::string& file) {
  Site site{.file = file};
  TomlTable in(root, file, "site");
  in.refuse_keys_besides(
      {"coordinates", "gates", "line", "zone", "lane", "entry", "ground_point", "limits"});
  site.coordinates = static_cast<SiteCoordinates>(in.choice("coordinates", coordinate_names, 0));
  site.gates = in.words("gates");
  if (!in.status()) return in.status().failure();
  const std::pair<const char*, Status (*)(const toml::table&, Site&)> lists[] = {
      {"line", read_line},
      {"zone", read_zone},
      {"lane", read_lane},
      {"entry", read_entry},
      {"ground_point", read_ground_point}};
  for (const auto& [key, reader] : lists)
    if (const Status good = each_table(root, key, site, reader); !good) return good.failure();
  if (const toml::node* node = root.get("limits")) {
    const toml::table* limits = node->as_table();
    if (limits == nullptr) in.fail("limits", "write 'limits' as a table, with [limits] above it");
    if (!in.status()) return in.status().failure();
    if (const Status good = read_limits(*limits, site); !good) return good.failure();
  }
  if (const Status good = check(site); !good) return good.failure();
  return site;
}

}  // namespace

Result<Site> parse_site(std::string_view text, const std::string& file) {
  if (text.size() > largest_text) return bad_input(file + " is larger than 1 MiB: it is no site");
  return as_bad_input(
      parse_toml(text, file, [&](const toml::table& root) { return read(root, file); }));
}

Result<Site> load_site(const std::string& path) {
  const auto text = read_text(path, "site", largest_text);
  if (!text) return text.failure();
  return parse_site(*text, path);
}

}  // namespace shingle::drone
