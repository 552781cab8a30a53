// Regions compared with counts of the cells of a small map.
#include "partition/model/region.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

constexpr Shape map{7, 6, 5};

Span random_span(networks::Random& random, int32_t size) {
  const int32_t begin = random.between(0, size);
  return {begin, random.between(0, size)};  // sometimes inverted, and then empty
}

Region random_region(networks::Random& random) {
  return {random_span(random, map.h), random_span(random, map.w), random_span(random, map.c)};
}

bool holds(const Region& region, int32_t y, int32_t x, int32_t c) {
  const auto in = [](Span span, int32_t i) { return span.begin <= i && i < span.end; };
  return in(region.y, y) && in(region.x, x) && in(region.c, c);
}

int count(const std::vector<Region>& boxes, int32_t y, int32_t x, int32_t c) {
  int times = 0;
  for (const Region& box : boxes) times += holds(box, y, x, c);
  return times;
}

template <class Check>
void for_each_cell(Check check) {
  for (int32_t y = 0; y < map.h; ++y)
    for (int32_t x = 0; x < map.w; ++x)
      for (int32_t c = 0; c < map.c; ++c) check(y, x, c);
}

auto corner(const Region& r) { return std::array{r.y.begin, r.x.begin, r.c.begin}; }

}  // namespace

TEST_CASE("a subtraction covers exactly the difference, each cell once, in order") {
  networks::Random random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    const Region a = random_region(random), b = random_region(random);
    const std::vector<Region> rest = subtract(a, b);
    CAPTURE(to_string(a));
    CAPTURE(to_string(b));
    int wrong = 0;
    for_each_cell([&](int32_t y, int32_t x, int32_t c) {
      const int expected = holds(a, y, x, c) && !holds(b, y, x, c) ? 1 : 0;
      wrong += count(rest, y, x, c) != expected;
    });
    REQUIRE(wrong == 0);
    REQUIRE(rest.size() <= 6);
    REQUIRE(std::is_sorted(rest.begin(), rest.end(),
                           [](const Region& l, const Region& r) { return corner(l) < corner(r); }));
    for (const Region& box : rest) REQUIRE(!box.empty());
  }
}

TEST_CASE("a disjoint union holds every cell of its boxes once and keeps the first box whole") {
  networks::Random random(12);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Region> boxes;
    for (int32_t i = random.between(0, 6); i > 0; --i) boxes.push_back(random_region(random));
    const std::vector<Region> pieces = disjoint_union(boxes);
    int wrong = 0;
    for_each_cell([&](int32_t y, int32_t x, int32_t c) {
      wrong += count(pieces, y, x, c) != (count(boxes, y, x, c) > 0 ? 1 : 0);
    });
    REQUIRE(wrong == 0);
    if (!boxes.empty() && !boxes[0].empty()) REQUIRE(pieces[0] == boxes[0]);
  }
}

TEST_CASE("intersection, hull and containment agree with counting cells") {
  networks::Random random(13);
  for (int trial = 0; trial < 2000; ++trial) {
    const Region a = random_region(random), b = random_region(random);
    const Region both = intersect(a, b), around = hull(a, b);
    bool inside = true;
    int wrong = 0;
    int64_t cells = 0;
    for_each_cell([&](int32_t y, int32_t x, int32_t c) {
      const bool in_a = holds(a, y, x, c), in_b = holds(b, y, x, c);
      cells += in_a;
      inside = inside && (!in_b || in_a);
      wrong += holds(both, y, x, c) != (in_a && in_b);
      wrong += (in_a || in_b) && !holds(around, y, x, c);
    });
    REQUIRE(wrong == 0);
    REQUIRE(a.elements() == cells);
    REQUIRE(contains(a, b) == inside);
  }
}

TEST_CASE("a hull touches its boxes on every side and ignores empty ones") {
  const Region a{{0, 2}, {1, 3}, {0, 4}}, b{{4, 5}, {0, 2}, {2, 6}};
  CHECK(hull(a, b) == Region{{0, 5}, {0, 3}, {0, 6}});
  CHECK(hull(a, Region{}) == a);
  CHECK(hull(Region{{7, 9}, {3, 3}, {0, 1}}, a) == a);
  CHECK(hull(Region{{7, 9}, {3, 3}, {0, 1}}, Region{}) == Region{});
  CHECK(hull(Span{3, 3}, Span{5, 6}) == Span{5, 6});
}

TEST_CASE("empty spans are normalised") {
  CHECK(intersect(Span{0, 4}, Span{6, 9}) == Span{});
  CHECK(intersect(whole({4, 4, 4}), Region{{9, 10}, {0, 4}, {0, 4}}) == Region{});
  CHECK(contains(Region{}, Region{{5, 5}, {0, 1}, {0, 1}}));
  CHECK(!contains(Region{}, whole({1, 1, 1})));
}

TEST_CASE("regions read as text") {
  CHECK(to_string(Span{4, 8}) == "4..8");
  CHECK(to_string(Region{{0, 4}, {2, 8}, {0, 16}}) == "y 0..4 x 2..8 c 0..16");
  CHECK(to_string(Shape{608, 416, 3}) == "608x416x3");
}
