// Eastings and northings of map grids, against published points.
#include "apps/drone/results/map_grid.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace shingle;
using namespace shingle::drone;

namespace {

std::string refusal_of(const std::string& code) {
  const auto grid = MapGrid::open(code);
  if (grid) return "was opened";
  CHECK(grid.failure().kind == ErrorKind::usage);
  return grid.error();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a UTM zone has its central meridian at 500 km east") {
  const auto grid = MapGrid::open("EPSG:32633");
  REQUIRE_MESSAGE(grid, grid.error());
  const auto place = grid->place_of(0.0, 15.0);
  REQUIRE_MESSAGE(place, place.error());
  CHECK(place->x == doctest::Approx(500000.0).epsilon(1e-9));
  CHECK(std::abs(place->y) < 1e-3);
  // The meridian's arc from the equator to 50 degrees north is 5,540,847.04 m on WGS84; the grid's
  // scale there is 0.9996.
  const auto north = grid->place_of(50.0, 15.0);
  REQUIRE(north);
  CHECK(north->y == doctest::Approx(0.9996 * 5540847.0416).epsilon(1e-8));
}

TEST_CASE("a grid whose register has the northing first gives the easting first") {
  // A row of geo-trax's table: EPSG:5186, places to a centimetre, degrees to seven digits.
  const auto grid = MapGrid::open("epsg:05186");
  REQUIRE_MESSAGE(grid, grid.error());
  CHECK(grid->code() == "EPSG:5186");
  const auto place = grid->place_of(37.3893296, 126.6635021);
  REQUIRE_MESSAGE(place, place.error());
  CHECK(place->x == doctest::Approx(170201.12).epsilon(1e-7));
  CHECK(place->y == doctest::Approx(532274.39).epsilon(1e-7));
}

TEST_CASE("a place outside of the grid's area is refused with both names") {
  const auto grid = MapGrid::open("EPSG:5186");
  REQUIRE(grid);
  const auto place = grid->place_of(48.1, 11.5);
  REQUIRE_FALSE(place);
  CHECK(place.failure().kind == ErrorKind::bad_input);
  CHECK_MESSAGE(has(place.error(), "48.10000, 11.50000"), place.error());
  CHECK_MESSAGE(has(place.error(), "Central Belt 2010): "), place.error());
}

TEST_CASE("an area across the antimeridian has both of its sides") {
  const auto grid = MapGrid::open("EPSG:3832");  // WGS 84 / PDC Mercator: the Pacific
  REQUIRE_MESSAGE(grid, grid.error());
  CHECK(grid->place_of(-17.0, 178.0));
  CHECK(grid->place_of(-17.0, -178.0));
  CHECK_FALSE(grid->place_of(-17.0, 20.0));
}

TEST_CASE("systems that are none, or not in metres to the east and north, are refused") {
  CHECK(has(refusal_of("utm33"), "write a code of the EPSG register"));
  CHECK(has(refusal_of("EPSG:"), "write a code of the EPSG register"));
  CHECK(has(refusal_of("EPSG:999999"), "EPSG:999999 is not in PROJ's copy of the EPSG register"));
  CHECK(has(refusal_of("EPSG:4326"), "EPSG:4326 (WGS 84) counts in degrees"));
  CHECK(has(refusal_of("EPSG:4978"), "is no projected system"));
  CHECK(has(refusal_of("EPSG:2229"), "counts in the unit 'US survey foot'"));
  CHECK(has(refusal_of("EPSG:2053"), "axes that do not point east and north"));
}
