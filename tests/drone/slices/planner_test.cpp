// The ground's scale by boxes, where vehicles will be, and plans that depend on pictures alone.
#include "apps/drone/slices/planner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

// The upright box around a vehicle that is turned.
PixelBox turned(double length, double width, double angle) {
  const double w = length * std::abs(std::cos(angle)) + width * std::abs(std::sin(angle));
  const double h = length * std::abs(std::sin(angle)) + width * std::abs(std::cos(angle));
  return {100, 100, w, h};
}

constexpr SlicePlannerOptions options{
    .metres_per_pixel = 0.12, .input_width = 640, .input_height = 384};
constexpr PictureToPlan full_hd{.seconds = 0.0, .width = 1920, .height = 1080};

std::vector<PixelBox> cars(double metres_per_pixel, int count) {
  std::vector<PixelBox> boxes;
  for (int i = 0; i < count; ++i)
    boxes.push_back(turned(4.5 / metres_per_pixel, 1.8 / metres_per_pixel, i * 0.7));
  return boxes;
}

}  // namespace

TEST_CASE("the scale by boxes holds for all turns, and against a third of other boxes") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const double scale = 0.03 + 0.2 * dice.unit();
    std::vector<PixelBox> boxes;
    for (int i = 0; i < 90; ++i) {
      const double angle = 2.0 * std::numbers::pi * dice.unit();
      const bool is_car = i % 3 != 0;
      // Trucks, and false boxes of any size.
      const double length = is_car              ? 4.2 + 0.6 * dice.unit()
                            : dice.unit() < 0.6 ? 12.0
                                                : 1.0 + 30.0 * dice.unit();
      boxes.push_back(turned(length / scale, (is_car ? 1.8 : 2.5) / scale, angle));
    }
    BoxScale by_boxes;
    by_boxes.see(boxes, 0.0);
    REQUIRE(by_boxes.metres_per_pixel());
    CHECK(std::abs(*by_boxes.metres_per_pixel() / scale - 1.0) < 0.09);
  }
}

TEST_CASE("many boxes of other sizes do not shift the scale") {
  BoxScale scale;
  std::vector<PixelBox> boxes = cars(0.1, 20);
  for (int i = 0; i < 15; ++i) boxes.push_back({0, 0, 12.0 + i * 0.3, 10.0});   // parts of cars
  for (int i = 0; i < 9; ++i) boxes.push_back({0, 0, 120.0 + i * 40.0, 30.0});  // trucks, houses
  scale.see(boxes, 0.0);
  REQUIRE(scale.metres_per_pixel());
  CHECK(std::abs(*scale.metres_per_pixel() / 0.1 - 1.0) < 0.05);
}

TEST_CASE("two boxes tell no scale, and a scale is forgotten when no vehicle is seen for long") {
  BoxScale scale;
  scale.see(cars(0.1, 2), 0.0);
  CHECK_FALSE(scale.metres_per_pixel());
  scale.see(cars(0.1, 2), 0.1);
  CHECK(scale.metres_per_pixel());
  scale.see({}, 2.0);
  CHECK(scale.metres_per_pixel());
  scale.see({}, 3.2);
  CHECK_FALSE(scale.metres_per_pixel());
}

TEST_CASE("a vehicle is expected straight on, at the speed that it had in pixels") {
  Forecast forecast;
  forecast.see(std::vector<VehicleSeen>{{7, {100, 200, 40, 20}}}, 0.0);
  forecast.see(std::vector<VehicleSeen>{{7, {110, 195, 40, 20}}}, 0.1);
  REQUIRE(forecast.boxes().size() == 1);
  const PixelBox box = box_at(forecast.boxes().front(), 0.2);
  CHECK(box.x + box.w / 2.0 == doctest::Approx(140.0));
  CHECK(box.y + box.h / 2.0 == doctest::Approx(200.0));
  CHECK(box.w == doctest::Approx(60.0));
  forecast.see({}, 1.0);
  CHECK(forecast.boxes().size() == 1);
  forecast.see({}, 1.2);
  CHECK(forecast.boxes().empty());
}

TEST_CASE("a film begins with the whole picture at several scales, and goes on at the right one") {
  SlicePlanner planner(options);
  const PicturePlan first = planner.plan(full_hd);
  REQUIRE(first.layers.size() == 3);
  CHECK(first.layers[0].slices.size() == 1);
  CHECK(first.layers[0].geometry.shrink == doctest::Approx(3.0));
  CHECK(first.layers[2].geometry.shrink == doctest::Approx(0.75));
  CHECK(first.layers[2].slices == full_cover(first.layers[2].geometry));
  CHECK_FALSE(planner.may_plan());
  planner.follow({.seconds = 0.0, .whole_vehicles = cars(0.08, 9)});
  REQUIRE(planner.may_plan());
  const PicturePlan next = planner.plan({.seconds = 0.04, .width = 1920, .height = 1080});
  REQUIRE(next.layers.size() == 1);
  CHECK(next.layers.front().geometry.shrink ==
        doctest::Approx(0.12 / 0.08).epsilon(0.06));  // 4.4 to 4.9 m
  CHECK(next.layers.front().slices.size() < next.full_cover);
}

TEST_CASE("without vehicles a layer after the other is looked at until some are found") {
  SlicePlanner planner(options);
  planner.plan(full_hd);
  planner.follow({.seconds = 0.0});
  std::vector<double> shrinks;
  for (int frame = 1; frame <= 4; ++frame) {
    const PicturePlan plan = planner.plan({.seconds = frame * 0.1, .width = 1920, .height = 1080});
    REQUIRE(plan.layers.size() == 1);
    CHECK(plan.full_cover == plan.layers.front().slices.size());
    shrinks.push_back(plan.layers.front().geometry.shrink);
    planner.follow({.seconds = frame * 0.1});
  }
  CHECK(shrinks == std::vector<double>{3.0, 1.5, 0.75, 3.0});
}

TEST_CASE("a scale of the log counts from the first picture on, within what makes sense") {
  SlicePlanner planner(options);
  PictureToPlan picture = full_hd;
  picture.scale = {0.06, 0.06};
  const PicturePlan first = planner.plan(picture);
  REQUIRE(first.layers.size() == 1);
  CHECK(first.layers.front().geometry.shrink == doctest::Approx(2.0));
  CHECK(first.layers.front().slices == full_cover(first.layers.front().geometry));
  planner.follow({.seconds = 0.0, .whole_vehicles = cars(0.2, 9)});
  picture = {.seconds = 0.1, .width = 1920, .height = 1080, .scale = GroundScale{0.062, 0.062}};
  CHECK(planner.plan(picture).layers.front().geometry.shrink == doctest::Approx(2.0));
  planner.follow({.seconds = 0.1});
  picture = {.seconds = 0.2, .width = 1920, .height = 1080, .scale = GroundScale{0.001, 0.001}};
  const PicturePlan low = planner.plan(picture);  // a metre above the ground
  CHECK(shrink_at(low.layers.front().geometry, 540.0) == doctest::Approx(6.0));
  CHECK(low.full_cover == 1);
  planner.follow({.seconds = 0.2});
  picture = {.seconds = 0.3, .width = 1920, .height = 1080, .scale = GroundScale{1.0, 1.0}};
  CHECK(shrink_at(planner.plan(picture).layers.front().geometry, 540.0) == doctest::Approx(0.5));
}

TEST_CASE("where the log says that the camera looks slantwise, far places are shrunk less") {
  SlicePlanner planner(options);
  PictureToPlan picture = full_hd;
  picture.scale = {0.11, 0.078};
  const SliceLayer layer = planner.plan(picture).layers.front();
  CHECK(layer.geometry.shrink == doctest::Approx(0.12 / 0.11));
  CHECK(shrink_of(layer.slices.front(), layer.geometry) < 0.8);
  CHECK(shrink_of(layer.slices.back(), layer.geometry) > 1.3);
  planner.follow({.seconds = 0.0});
  // A slant that hardly changes leaves slices as they are.
  picture.seconds = 0.1;
  picture.scale = {0.11, 0.076};
  CHECK(planner.plan(picture).layers.front().geometry == layer.geometry);
}

TEST_CASE("bounds of the shrink hold for each row, and a row within them has its own scale") {
  SlicePlanner planner(options);
  PictureToPlan picture = full_hd;
  picture.scale = {0.45, 0.133};  // 10 degrees below the horizon, from 100 m
  const SliceGeometry geometry = planner.plan(picture).layers.front().geometry;
  CHECK(shrink_at(geometry, 0.0) == doctest::Approx(0.5));
  CHECK(shrink_at(geometry, 540.0) == doctest::Approx(0.5));
  CHECK(shrink_at(geometry, 1080.0) == doctest::Approx(0.12 / 0.133));
}

TEST_CASE("straight down, but for rounding, slices have one size") {
  for (const double more : {1e-16, 1e-13, 1e-9, 0.01}) {
    SlicePlanner planner(options);
    PictureToPlan picture = full_hd;
    picture.scale = {0.1, 0.1 / (1.0 + more)};
    const SliceLayer layer = planner.plan(picture).layers.front();
    CHECK(layer.geometry.slope == 0.0);
    CHECK(layer.slices.size() == full_cover(SliceGeometry{1920, 1080, 640, 384, 1.2}).size());
  }
}

TEST_CASE("plans depend on pictures alone, whenever their results come") {
  // Results come as early as they can, or as late as the lag allows.
  const auto planned = [](bool early) {
    SlicePlannerOptions with_lag = options;
    with_lag.lag = 3;
    SlicePlanner planner(with_lag);
    std::vector<PictureSlice> all;
    int followed = 0, frame = 0;
    const auto follow = [&] {
      const double seconds = followed * 0.04;
      const std::vector<VehicleSeen> tracks{{1, {40.0 * followed, 300.0, 50.0, 25.0}},
                                            {2, {900.0, 9.0 * followed, 30.0, 50.0}}};
      planner.follow({.seconds = seconds, .tracks = tracks, .whole_vehicles = cars(0.09, 9)});
      ++followed;
    };
    while (frame < 40) {
      while (followed < frame && (early || !planner.may_plan())) follow();
      REQUIRE(planner.may_plan());
      for (const SliceLayer& layer :
           planner.plan({.seconds = frame * 0.04, .width = 1920, .height = 1080}).layers)
        for (const PictureSlice& each : layer.slices) all.push_back(each);
      ++frame;
    }
    return all;
  };
  CHECK(planned(true) == planned(false));
}

TEST_CASE("a share of a full cover is a most for each picture") {
  SlicePlanner planner(options);
  PictureToPlan picture = full_hd;
  picture.scale = {0.1, 0.1};
  const size_t full = planner.plan(picture).full_cover;
  std::vector<VehicleSeen> tracks;
  for (int i = 0; i < 40; ++i)
    tracks.push_back({i, {(i % 8) * 240.0, static_cast<double>(i / 8) * 220.0, 40, 20}});
  planner.follow({.seconds = 0.0, .tracks = tracks});
  picture.seconds = 0.1;
  picture.slice_share = 0.25;
  const PicturePlan plan = planner.plan(picture);
  CHECK(plan.layers.front().slices.size() == (full + 3) / 4);
  CHECK(plan.left_out > 0);
}
