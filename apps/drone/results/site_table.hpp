// One table of a site.toml: TomlTable, and the points that it does not know.
#pragma once

#include <optional>
#include <vector>

#include "apps/drone/count/site.hpp"
#include "devices/files/toml_table.hpp"

namespace shingle::drone {

inline constexpr double farthest_coordinate = 1e8;

class SiteTable : public TomlTable {
 public:
  // `what`: as TomlTable's. Points are read in the site's coordinates, which must be known by then.
  SiteTable(const toml::table& table, const Site& site, const char* what);

  size_t file_line() const { return nodes_.source().begin.line; }

  // All are required. `counts`: how many points there may be.
  std::vector<PlanePoint> points(const char* key, Bounds counts);
  PlaneSegment segment(const char* key);  // two points
  PlanePoint pair(const char* key, bool is_wgs84);

  std::optional<double> limit_kmh();
  Direction direction(const char* key);

 private:
  const toml::table& nodes_;
  bool is_wgs84_;
};

}  // namespace shingle::drone
