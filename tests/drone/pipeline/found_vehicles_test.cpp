// Boxes of vehicles in what a detector found.
#include "apps/drone/pipeline/found_vehicles.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

VehicleClasses cars() { return *VehicleClasses::make({"person", "car"}, ""); }

}  // namespace

TEST_CASE("detections of other classes, and boxes without area, are left out") {
  const shingle::Detections found{{.class_id = 1, .score = 0.9F, .box = {10, 20, 30, 40}},
                                  {.class_id = 0, .score = 0.8F, .box = {0, 0, 5, 5}},
                                  {.class_id = 1, .score = 0.7F, .box = {0, 0, 0, 5}}};
  const auto boxes = vehicles_in(found, cars());
  REQUIRE(boxes);
  REQUIRE(boxes->size() == 1);
  CHECK(boxes->front().box == PixelBox{10, 20, 30, 40});
  CHECK(boxes->front().score == doctest::Approx(0.9));
  CHECK(boxes->front().class_id == 1);
}

TEST_CASE("a turned box gives the upright one around it") {
  const TurnedBoxes found{
      {.class_id = 1, .score = 0.5F, .x = 100, .y = 50, .w = 40, .h = 20, .angle = 1.5707964F}};
  const auto boxes = vehicles_in(found, cars());
  REQUIRE(boxes);
  REQUIRE(boxes->size() == 1);
  CHECK(boxes->front().box.x == doctest::Approx(90.0));
  CHECK(boxes->front().box.y == doctest::Approx(30.0));
  CHECK(boxes->front().box.w == doctest::Approx(20.0));
  CHECK(boxes->front().box.h == doctest::Approx(40.0));
}

TEST_CASE("masks and poses have boxes, too; text has none") {
  Instances instances(1);
  instances[0].detection = {.class_id = 1, .score = 0.6F, .box = {1, 2, 3, 4}};
  CHECK(vehicles_in(instances, cars())->size() == 1);
  BodyPoses poses(1);
  poses[0].detection = {.class_id = 1, .score = 0.6F, .box = {1, 2, 3, 4}};
  CHECK(vehicles_in(poses, cars())->size() == 1);
  const auto text = vehicles_in(ReadText{}, cars());
  REQUIRE_FALSE(text);
  CHECK(text.error().find("detector") != std::string::npos);
}
