// One box for each vehicle, where a detector is not sure of its class.
#include "apps/drone/pipeline/one_box_each.hpp"

#include <doctest/doctest.h>

using namespace shingle::drone;

namespace {

enum Classes : int { car, van, truck, bus };

DetectedBox found(int class_id, double score, const PixelBox& box) {
  return {.box = box, .score = score, .class_id = class_id};
}

constexpr PixelBox here{100, 100, 130, 60};
constexpr PixelBox about_here{104, 98, 124, 64};
constexpr PixelBox elsewhere{400, 100, 130, 60};
constexpr double most = 0.45;

}  // namespace

TEST_CASE("a vehicle is as sure as that any of its classes is right, and the best box stays") {
  const auto boxes = one_box_each(
      {found(van, 0.2, about_here), found(truck, 0.45, here), found(bus, 0.3, here)}, most);
  REQUIRE(boxes.size() == 1);
  CHECK(boxes.front().box == here);
  CHECK(boxes.front().class_id == truck);
  CHECK(boxes.front().score == doctest::Approx(1.0 - 0.55 * 0.7 * 0.8));
}

TEST_CASE("doubt is never gone, so that surer vehicles stay before others") {
  const auto boxes = one_box_each({found(truck, 0.8, here), found(bus, 0.7, here)}, most);
  CHECK(boxes.front().score == doctest::Approx(0.94));
}

TEST_CASE("a class counts once, with its best score") {
  const auto boxes = one_box_each(
      {found(truck, 0.4, here), found(van, 0.2, about_here), found(van, 0.1, here)}, most);
  REQUIRE(boxes.size() == 1);
  CHECK(boxes.front().score == doctest::Approx(0.52));
}

TEST_CASE("boxes of one class, and those that hardly overlap, are left as they are") {
  const std::vector<DetectedBox> two{found(car, 0.9, here), found(car, 0.8, about_here),
                                     found(van, 0.7, elsewhere)};
  CHECK(one_box_each(two, most) == two);
}

TEST_CASE("the best comes first, also where two classes have overtaken") {
  const auto boxes = one_box_each(
      {found(car, 0.6, elsewhere), found(truck, 0.5, here), found(bus, 0.4, here)}, most);
  REQUIRE(boxes.size() == 2);
  CHECK(boxes.front().class_id == truck);
  CHECK(boxes.back().class_id == car);
}

TEST_CASE("nothing stays nothing") { CHECK(one_box_each({}, most).empty()); }
