#include "apps/drone/results/map_grid.hpp"

#include <proj.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "apps/drone/results/csv_line.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

constexpr std::string_view authority = "EPSG:";

// "EPSG:032" is EPSG:32; none: no such text.
std::optional<std::string> code_in(std::string_view text) {
  if (!text.starts_with(authority) && !text.starts_with("epsg:")) return std::nullopt;
  const std::string_view digits = text.substr(authority.size());
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return std::string(authority) + std::to_string(number);
}

// "EPSG:5186 (KGD2002 / Central Belt 2010)"
std::string title_of(const std::string& code, const std::string& name) {
  return code + " (" + name + ")";
}

// Metres to the east and to the north, in either order. Empty: so it is; else what it is instead.
std::string refusal_of_axes(pj_ctx* context, const PJconsts* system) {
  const auto type = proj_get_type(system);
  if (type == PJ_TYPE_GEOGRAPHIC_2D_CRS || type == PJ_TYPE_GEOGRAPHIC_3D_CRS)
    return "counts in degrees";
  if (type != PJ_TYPE_PROJECTED_CRS) return "is no projected system";
  const std::unique_ptr<PJconsts, decltype(&proj_destroy)> axes(
      proj_crs_get_coordinate_system(context, system), proj_destroy);
  if (!axes) return "has no axes";
  bool has_east = false, has_north = false;
  for (int axis = 0; axis < 2; ++axis) {
    const char *direction = nullptr, *unit = nullptr;
    double metres = 0.0;
    if (!proj_cs_get_axis_info(context, axes.get(), axis, nullptr, nullptr, &direction, &metres,
                               &unit, nullptr, nullptr))
      return "has no axes";
    if (metres != 1.0) return std::string("counts in the unit '") + unit + "'";
    has_east = has_east || std::string_view(direction) == "east";
    has_north = has_north || std::string_view(direction) == "north";
  }
  return has_east && has_north ? "" : "has axes that do not point east and north";
}

// "37.38933, 126.66350"
std::string place_text(double latitude, double longitude) {
  return csv_text(latitude, 5) + ", " + csv_text(longitude, 5);
}

}  // namespace

void MapGrid::Free::operator()(pj_ctx* context) const { proj_context_destroy(context); }
void MapGrid::Free::operator()(PJconsts* object) const { proj_destroy(object); }

bool MapGrid::Area::holds(double latitude, double longitude) const {
  const bool is_between = west <= east ? longitude >= west && longitude <= east
                                       : longitude >= west || longitude <= east;
  return is_between && latitude >= south && latitude <= north;
}

Result<MapGrid::Area> MapGrid::area_of(pj_ctx* context, const PJconsts* system,
                                       const std::string& title) {
  Area area;
  const char* name = nullptr;
  if (!proj_get_area_of_use(context, system, &area.west, &area.south, &area.east, &area.north,
                            &name) ||
      area.west < -180.0)  // PROJ's sign of an area that is not known
    return usage_error("PROJ knows no area of use of " + title + "; name another system");
  area.name = name == nullptr ? "" : name;
  if (area.name.ends_with('.')) area.name.pop_back();
  return area;
}

Result<MapGrid> MapGrid::open(const std::string& text) {
  const auto code = code_in(text);
  if (!code)
    return usage_error("--crs is " + in_quotes(text) +
                       "; write a code of the EPSG register, such as EPSG:32633");
  Context context(proj_context_create());
  if (!context) return Error{"PROJ cannot begin"};
  proj_log_level(context.get(), PJ_LOG_NONE);
  const Object system(proj_create(context.get(), code->c_str()));
  if (!system)
    return usage_error(*code +
                       " is not in PROJ's copy of the EPSG register; look the code up at "
                       "epsg.io");
  const std::string name = proj_get_name(system.get());
  const std::string title = title_of(*code, name);
  if (const auto refusal = refusal_of_axes(context.get(), system.get()); !refusal.empty())
    return usage_error(title + " " + refusal +
                       "; name a projected system in metres, such as the UTM zone, EPSG:326 and "
                       "the zone in the north");
  auto area = area_of(context.get(), system.get(), title);
  if (!area) return area.failure();
  const Object plain(proj_create_crs_to_crs(context.get(), "EPSG:4326", code->c_str(), nullptr));
  Object ordered(plain ? proj_normalize_for_visualization(context.get(), plain.get()) : nullptr);
  if (!ordered) return usage_error("PROJ knows no way from WGS84 to " + title);
  return MapGrid(*code, name, std::move(*area), std::move(context), std::move(ordered));
}

Result<PlanePoint> MapGrid::place_of(double latitude, double longitude) const {
  if (!area_.holds(latitude, longitude))
    return bad_input("the place " + place_text(latitude, longitude) + " is outside the area of " +
                     title_of(code_, name_) + ": " + area_.name + ", " +
                     place_text(area_.south, area_.west) + " to " +
                     place_text(area_.north, area_.east) + "; name a system of that place");
  const PJ_COORD there =
      proj_trans(from_wgs84_.get(), PJ_FWD, proj_coord(longitude, latitude, 0.0, 0.0));
  if (!std::isfinite(there.xy.x) || !std::isfinite(there.xy.y))
    return bad_input("PROJ finds no place of " + place_text(latitude, longitude) + " in " +
                     title_of(code_, name_));
  return PlanePoint{there.xy.x, there.xy.y};
}

}  // namespace shingle::drone
