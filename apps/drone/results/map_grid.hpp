// A map's grid: easting and northing in metres, in a projected system of the EPSG register, as
// surveyors and GIS use it. By PROJ and the register that comes with it; without its optional grids
// of datum shifts, places of old datums may lie metres off.
#pragma once

#include <memory>
#include <string>

#include "apps/drone/count/geometry.hpp"
#include "partition/base/result.hpp"

struct pj_ctx;
struct PJconsts;

namespace shingle::drone {

class MapGrid {
 public:
  // `code`: "EPSG:n". Errors (usage): no such code; a system that is not projected, or not in
  // metres to the east and north.
  static Result<MapGrid> open(const std::string& code);

  // x: easting, y: northing, in metres. `latitude`, `longitude`: WGS84, degrees. Error: the place
  // lies outside the area that the system is meant for; its numbers would mean nothing.
  Result<PlanePoint> place_of(double latitude, double longitude) const;

  const std::string& code() const { return code_; }  // "EPSG:n", without leading zeros

 private:
  struct Free {
    void operator()(pj_ctx* context) const;
    void operator()(PJconsts* object) const;
  };
  using Context = std::unique_ptr<pj_ctx, Free>;
  using Object = std::unique_ptr<PJconsts, Free>;
  struct Area {  // degrees; the west is greater than the east where it crosses the antimeridian
    double west = -180.0, south = -90.0, east = 180.0, north = 90.0;
    std::string name{};
    bool holds(double latitude, double longitude) const;
  };
  MapGrid(std::string code, std::string name, Area area, Context context, Object from_wgs84)
      : code_(std::move(code)),
        name_(std::move(name)),
        area_(std::move(area)),
        context_(std::move(context)),
        from_wgs84_(std::move(from_wgs84)) {}
  static Result<Area> area_of(pj_ctx* context, const PJconsts* system, const std::string& title);

  std::string code_, name_;
  Area area_;
  Context context_;  // before what it owns
  Object from_wgs84_;
};

}  // namespace shingle::drone
