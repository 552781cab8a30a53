// Layouts: for any shares, the tiles are disjoint and cover every map.
#include "partition/search/layout.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

using namespace shingle;
using networks::Random;

namespace {

// Every element is in exactly one tile.
bool covers(const std::vector<DealtTile>& tiles, size_t map, Shape shape) {
  std::vector<int> count(static_cast<size_t>(shape.elements()), 0);
  for (const DealtTile& tile : tiles) {
    const Region& r = tile.regions[map];
    for (int32_t y = r.y.begin; y < r.y.end; ++y)
      for (int32_t x = r.x.begin; x < r.x.end; ++x)
        for (int32_t c = r.c.begin; c < r.c.end; ++c)
          ++count[static_cast<size_t>((int64_t{y} * shape.w + x) * shape.c + c)];
  }
  return std::all_of(count.begin(), count.end(), [](int n) { return n == 1; });
}

Layout random_layout(Random& random) {
  Layout layout;
  const int32_t nodes = random.between(1, 9);
  for (int32_t i = 0; i < nodes; ++i) {
    layout.shares.push_back(random.chance(0.2) ? 0.0 : double(random.uniform(0.01F, 1.0F)));
  }
  layout.shares[static_cast<size_t>(random.between(0, nodes - 1))] = 0.5;
  layout.groups = random.between(1, 4);
  layout.across_channels = random.chance(0.3);
  layout.stairs = random.chance(0.5);
  layout.rows = random.between(1, 3);
  layout.columns = random.between(1, 3);
  return layout;
}

int64_t area(const std::vector<DealtTile>& tiles, size_t node) {
  int64_t sum = 0;
  for (const DealtTile& tile : tiles) {
    if (tile.node == node) sum += tile.regions[0].elements();
  }
  return sum;
}

}  // namespace

TEST_CASE("dealt tiles are disjoint, cover every map, and belong to nodes that take part") {
  Random random(70);
  for (int round = 0; round < 3000; ++round) {
    INFO("seed 70, round " << round);
    const Layout layout = random_layout(random);
    std::vector<Shape> maps;
    MapKind kind = MapKind::map;
    for (int i = random.between(1, 3); i > 0; --i) {
      maps.push_back({random.between(1, 24), random.between(1, 24), random.between(1, 6)});
    }
    if (random.chance(0.2)) {
      kind = MapKind::row;
      for (Shape& map : maps) map.h = 1;
    }
    const Granule granule{random.between(1, 4), random.between(1, 4), random.between(1, 2)};
    const std::vector<DealtTile> tiles =
        deal(layout, maps, kind, std::vector<Granule>(maps.size(), granule));
    for (size_t i = 0; i < maps.size(); ++i) REQUIRE(covers(tiles, i, maps[i]));
    for (const DealtTile& tile : tiles) REQUIRE(layout.shares[tile.node] > 0.0);
  }
}

TEST_CASE("stairs give each of six nodes a sixth of a map of 19x19, whole rows do not") {
  Layout layout{.shares = std::vector<double>(6, 1.0), .groups = 1, .stairs = true};
  const auto exact = deal(layout, {{19, 19, 1}}, MapKind::map, {Granule{}});
  layout.stairs = false;
  const auto rows = deal(layout, {{19, 19, 1}}, MapKind::map, {Granule{}});
  for (size_t node = 0; node < 6; ++node) {
    CHECK(area(exact, node) >= 57);
    CHECK(area(exact, node) <= 63);
    CHECK(area(rows, node) % 19 == 0);
  }
}

TEST_CASE("a node of twice the share gets twice the area, in groups too") {
  const Layout layout{.shares = {1, 1, 2, 2, 4, 4}, .groups = 2};
  const auto tiles = deal(layout, {{140, 140, 1}}, MapKind::map, {Granule{}});
  CHECK(area(tiles, 0) == doctest::Approx(1400).epsilon(0.03));
  CHECK(area(tiles, 2) == doctest::Approx(2800).epsilon(0.03));
  CHECK(area(tiles, 5) == doctest::Approx(5600).epsilon(0.03));
}

TEST_CASE("across the channels a group is a range of channels of the whole map") {
  const Layout layout{.shares = {1, 1, 2}, .groups = 3, .across_channels = true};
  const auto tiles = deal(layout, {{5, 5, 16}}, MapKind::map, {Granule{}});
  REQUIRE(tiles.size() == 3);
  CHECK(tiles[0].regions[0] == Region{{0, 5}, {0, 5}, {0, 4}});
  CHECK(tiles[2].regions[0] == Region{{0, 5}, {0, 5}, {8, 16}});
}

TEST_CASE("borders lie on granules") {
  const Layout layout{.shares = {1, 1, 1}, .groups = 1, .stairs = true};
  for (const DealtTile& tile : deal(layout, {{38, 38, 1}}, MapKind::map, {Granule{4, 4, 1}})) {
    const Region& region = tile.regions[0];
    CHECK(region.y.begin % 4 == 0);
    CHECK(region.x.begin % 4 == 0);
    CHECK((region.y.end % 4 == 0 || region.y.end == 38));
    CHECK((region.x.end % 4 == 0 || region.x.end == 38));
  }
}
