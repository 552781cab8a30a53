#include "apps/drone/results/site_table.hpp"

#include <cmath>

namespace shingle::drone {
namespace {

constexpr Bounds any_number{-farthest_coordinate, farthest_coordinate}, limits_kmh{1.0, 1000.0};
constexpr double greatest_latitude = 90.0, greatest_longitude = 180.0;
const auto& direction_names = *new std::vector<std::string>{"forward", "backward"};

// In files a place on the earth is latitude, longitude.
PlanePoint point_of(double first, double second, bool is_wgs84) {
  return is_wgs84 ? PlanePoint{second, first} : PlanePoint{first, second};
}

// Empty: no two numbers, or too large ones.
std::optional<PlanePoint> read_point(const toml::node& node, bool is_wgs84) {
  const toml::array* pair = node.as_array();
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  const double first = pair->get(0)->value<double>().value_or(std::nan("")),
               second = pair->get(1)->value<double>().value_or(std::nan(""));
  if (!(std::abs(first) <= (is_wgs84 ? greatest_latitude : farthest_coordinate)) ||
      !(std::abs(second) <= (is_wgs84 ? greatest_longitude : farthest_coordinate)))
    return std::nullopt;
  return point_of(first, second, is_wgs84);
}

std::string count_text(Bounds counts) {
  const std::string least = std::to_string(static_cast<int>(counts.minimum));
  return counts.minimum == counts.maximum ? least : std::string("at least ").append(least);
}

}  // namespace

SiteTable::SiteTable(const toml::table& table, const Site& site, const char* what)
    : TomlTable(table, site.file, what),
      nodes_(table),
      is_wgs84_(site.coordinates == SiteCoordinates::wgs84) {}

std::vector<PlanePoint> SiteTable::points(const char* key, Bounds counts) {
  std::vector<PlanePoint> points;
  const toml::node* node = nodes_.get(key);
  const toml::array* array = node == nullptr ? nullptr : node->as_array();
  const double count = array == nullptr ? -1.0 : static_cast<double>(array->size());
  bool is_good = count >= counts.minimum && count <= counts.maximum;
  if (is_good)
    for (const toml::node& each : *array) {
      const auto point = read_point(each, is_wgs84_);
      is_good = is_good && point.has_value();
      points.push_back(point.value_or(PlanePoint{}));
    }
  if (is_good) return points;
  fail(key,
       in_quotes(key) + " must be a list of " + count_text(counts) + " points, such as " +
           (is_wgs84_ ? "[[50.0755, 14.4378], ...], latitude and longitude" : "[[100, 200], ...]"));
  return {};
}

PlaneSegment SiteTable::segment(const char* key) {
  const auto ends = points(key, {2, 2});
  return ends.size() == 2 ? PlaneSegment{ends[0], ends[1]} : PlaneSegment{};
}

PlanePoint SiteTable::pair(const char* key, bool is_wgs84) {
  const auto read =
      numbers(key, {2, 2}, is_wgs84 ? Bounds{-greatest_longitude, greatest_longitude} : any_number);
  return read.size() == 2 ? point_of(read[0], read[1], is_wgs84) : PlanePoint{};
}

std::optional<double> SiteTable::limit_kmh() {
  if (!has("limit_kmh")) return std::nullopt;
  return number("limit_kmh", limits_kmh, std::nullopt);
}

Direction SiteTable::direction(const char* key) {
  return static_cast<Direction>(choice(key, direction_names, 0));
}

}  // namespace shingle::drone
