// Depth order: what hides another is drawn after it.
#include "apps/scene/render/depth_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "apps/scene/dice.hpp"
#include "apps/scene/flight/scene_flight.hpp"
#include "apps/scene/places.hpp"
#include "apps/scene/prism.hpp"

namespace shingle {
namespace {

StandingThing house(const SceneView& view, const Pose& pose, double length, double width,
                    double height) {
  const Outline outline = rectangle(pose, length, width);
  return {.footprint = outline,
          .foot = 0,
          .seen = bounds(silhouette(view, Prism{outline, outline, 0, height}))};
}

size_t place_in(const std::vector<size_t>& order, size_t index) {
  return static_cast<size_t>(std::find(order.begin(), order.end(), index) - order.begin());
}

// By rays, which knows no parting lines: the thing that a ray from above the nadir meets first.
// Prisms as high as the sky are met in the order in which the ray's shadow on the ground meets
// their footprints.
double first_meeting(const Outline& outline, cv::Point2d from, cv::Point2d along) {
  double nearest = 1e300;
  for (size_t i = 0; i < outline.size(); ++i) {
    const cv::Point2d a = outline[i] - from, edge = outline[(i + 1) % outline.size()] - outline[i];
    const double across = along.x * edge.y - along.y * edge.x;
    if (std::abs(across) < 1e-12) continue;
    const double t = (a.x * edge.y - a.y * edge.x) / across;
    const double s = (a.x * along.y - a.y * along.x) / across;
    if (t > 0 && s >= 0 && s <= 1) nearest = std::min(nearest, t);
  }
  return nearest;
}

TEST_CASE("Of two houses the one on the camera's side comes last, even if its middle is farther") {
  // A long house beside a short one: the long one's middle is far away, but it hides the short one.
  const SceneView view = SceneFlight({.altitude = 50, .pitch_degrees = 40, .seed = 2}).view_at(0);
  const cv::Point2d nadir = view.nadir;
  const StandingThing lengthy =
      house(view, {nadir + cv::Point2d(40, 20), 0}, 90, 4, 12);  // between y 18 and 22
  const StandingThing tiny = house(view, {nadir + cv::Point2d(1, 26), 0}, 4, 4, 6);
  CHECK(drawn_first(lengthy, tiny, nadir) == DrawnFirst::right);
  CHECK(drawn_first(tiny, lengthy, nadir) == DrawnFirst::left);
}

TEST_CASE("What is higher comes last where footprints meet") {
  const SceneView view = SceneFlight({.altitude = 50, .seed = 2}).view_at(0);
  StandingThing car = house(view, {{0, 0}, 0}, 4, 2, 1.5),
                crown = house(view, {{1, 0}, 0}, 6, 6, 8);
  crown.foot = 3.0;
  CHECK(drawn_first(car, crown, view.nadir) == DrawnFirst::left);
  CHECK(drawn_first(crown, car, view.nadir) == DrawnFirst::right);
}

TEST_CASE("No house of a town is drawn before one that it hides, whatever a ray meets") {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    CAPTURE(seed);
    SceneDice dice(seed);
    const SceneView view =
        SceneFlight({.altitude = 60, .pitch_degrees = 35, .yaw_degrees = 77, .seed = seed})
            .view_at(0);
    std::vector<StandingThing> houses;
    for (int x = -4; x <= 4; ++x)
      for (int y = -4; y <= 4; ++y) {
        const cv::Point2d at{x * 22 + dice.within(-3, 3), y * 22 + dice.within(-3, 3)};
        if (depth_of(view, {at.x, at.y}, 0) < 25) continue;
        const double turn = dice.within(0, CV_PI), length = dice.within(4, 11);
        houses.push_back(house(view, {at, turn}, length, dice.within(3, 7), dice.within(3, 15)));
      }
    REQUIRE(houses.size() > 40);
    const std::vector<size_t> order = depth_order(houses, view.nadir);
    REQUIRE(order.size() == houses.size());
    int compared = 0;
    for (int ray = 0; ray < 2000; ++ray) {
      const cv::Point2d along = forward(dice.within(0, 2 * CV_PI));
      std::vector<std::pair<double, size_t>> met;
      for (size_t i = 0; i < houses.size(); ++i)
        if (const double t = first_meeting(houses[i].footprint, view.nadir, along); t < 1e299)
          met.push_back({t, i});
      std::sort(met.begin(), met.end());
      for (size_t i = 1; i < met.size(); ++i) {
        const StandingThing &near = houses[met[i - 1].second], &far = houses[met[i].second];
        if ((near.seen.x > far.seen.x + far.seen.w) || (far.seen.x > near.seen.x + near.seen.w) ||
            (near.seen.y > far.seen.y + far.seen.h) || (far.seen.y > near.seen.y + near.seen.h))
          continue;
        ++compared;
        CHECK(place_in(order, met[i].second) < place_in(order, met[i - 1].second));
      }
    }
    CHECK(compared > 200);
  }
}

}  // namespace
}  // namespace shingle
