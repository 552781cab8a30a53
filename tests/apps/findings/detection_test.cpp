#include "apps/findings/detection.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

// Counts the pixels of two boxes with whole coordinates.
float counted_overlap(const Box& a, const Box& b) {
  int both = 0, either = 0;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) {
      const auto inside = [&](const Box& box) {
        const float fx = static_cast<float>(x), fy = static_cast<float>(y);
        return fx >= box.x && fx < box.x + box.w && fy >= box.y && fy < box.y + box.h;
      };
      both += inside(a) && inside(b) ? 1 : 0;
      either += inside(a) || inside(b) ? 1 : 0;
    }
  return either == 0 ? 0.0F : static_cast<float>(both) / static_cast<float>(either);
}

Box random_box(networks::Random& random) {
  return {static_cast<float>(random.between(0, 20)), static_cast<float>(random.between(0, 20)),
          static_cast<float>(random.between(1, 19)), static_cast<float>(random.between(1, 19))};
}

}  // namespace

TEST_CASE("the overlap of boxes is the share of their pixels") {
  networks::Random random(11);
  for (int i = 0; i < 300; ++i) {
    const Box a = random_box(random), b = random_box(random);
    CHECK(intersection_over_union(a, b) == doctest::Approx(counted_overlap(a, b)));
  }
}

TEST_CASE("suppression keeps the best of each heap and nothing that repeats it") {
  networks::Random random(12);
  for (int round = 0; round < 50; ++round) {
    std::vector<Detection> given;
    for (int i = 0; i < 30; ++i)
      given.push_back({random.between(0, 2), random.uniform(0.0F, 1.0F), random_box(random)});
    const std::vector<Detection> kept = suppress(given, 0.4F);
    const auto repeats = [](const Detection& better, const Detection& worse) {
      return better.class_id == worse.class_id && better.score >= worse.score &&
             intersection_over_union(better.box, worse.box) > 0.4F;
    };
    for (const Detection& detection : given) {
      const bool is_kept = std::find(kept.begin(), kept.end(), detection) != kept.end();
      const bool repeated = std::any_of(kept.begin(), kept.end(), [&](const Detection& other) {
        return !(other == detection) && repeats(other, detection);
      });
      CHECK(is_kept != repeated);
    }
  }
}

TEST_CASE("boxes are clipped to the picture") {
  CHECK(clipped({-5, -5, 20, 10}, 12, 12) == Box{0, 0, 12, 5});
  CHECK(clipped({20, 3, 5, 5}, 12, 12).w == 0.0F);
}
