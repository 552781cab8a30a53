// Regions cut for threads.
#include "devices/executor/bands.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

namespace shingle::tests {

TEST_CASE("Bands of any region for any threads follow each other, none empty, and are all of it") {
  networks::Random random(11);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const int32_t y = random.between(-3, 9), x = random.between(-3, 9);
    const Region region{
        {y, y + random.between(1, 40)}, {x, x + random.between(1, 40)}, {0, random.between(1, 9)}};
    const Bands bands(region, random.between(1, 6));
    REQUIRE(bands.count() >= 1);
    Region so_far = bands[0];
    for (int band = 1; band < bands.count(); ++band) {
      REQUIRE(!bands[band].empty());
      const bool below = bands[band].x == so_far.x && bands[band].y.begin == so_far.y.end;
      const bool beside = bands[band].y == so_far.y && bands[band].x.begin == so_far.x.end;
      REQUIRE((below || beside));
      so_far = hull(so_far, bands[band]);
    }
    CHECK(so_far == region);
  }
}

TEST_CASE("A row for many threads is cut along its columns, and not at all for one") {
  const Region row{{4, 5}, {0, 100}, {0, 3}};
  const Bands many(row, 3);
  CHECK(many.count() == 12);
  CHECK(many[0].y == row.y);
  CHECK(Bands(row, 1)[0] == row);
}

}  // namespace shingle::tests
