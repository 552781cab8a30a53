// Boxes on the road and off it, under a camera that moves.
#include "apps/drone/pipeline/road_layer.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

// 100 x 60 pixels; the left half is road, the last ten columns were not looked at.
ClassMap left_is_road() {
  ClassMap map{.width = 100, .height = 60, .classes = {}};
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 100; ++x)
      map.classes.push_back(x >= 90 ? ClassMap::unseen : x < 50 ? 1 : 0);
  return map;
}

PicturePlace moved_by(double x) {
  Homography to_first = Homography::Identity();
  to_first(0, 2) = x;
  return {to_first, 0};
}

RoadLayer layer() { return *RoadLayer::make({"other", "road"}, ""); }

}  // namespace

TEST_CASE("boxes off the road are none") {
  RoadLayer road = layer();
  CHECK(road.may_drive({70, 10, 10, 10}, moved_by(0)));  // no mask yet
  road.see(left_is_road(), moved_by(0));
  CHECK(road.may_drive({20, 10, 10, 10}, moved_by(0)));
  CHECK_FALSE(road.may_drive({70, 10, 10, 10}, moved_by(0)));
  CHECK(road.may_drive({46, 10, 10, 10}, moved_by(0)));        // two fifths
  CHECK_FALSE(road.may_drive({49, 10, 10, 10}, moved_by(0)));  // a tenth
}

TEST_CASE("the mask moves with the camera") {
  RoadLayer road = layer();
  road.see(left_is_road(), moved_by(10));
  // This picture lies 40 pixels to the right of the mask's: its left border is the road's end.
  CHECK_FALSE(road.may_drive({12, 10, 10, 10}, moved_by(50)));
  CHECK(road.may_drive({70, 10, 10, 10}, moved_by(-30)));
}

TEST_CASE("where nobody knows, a box may drive") {
  RoadLayer road = layer();
  road.see(left_is_road(), moved_by(0));
  CHECK(road.may_drive({92, 10, 6, 6}, moved_by(0)));          // not looked at
  CHECK(road.may_drive({300, 10, 10, 10}, moved_by(0)));       // outside
  CHECK(road.may_drive({70, 10, 10, 10}, {std::nullopt, 0}));  // the camera is lost
  PicturePlace other_chain = moved_by(0);
  other_chain.first = 40;
  CHECK(road.may_drive({70, 10, 10, 10}, other_chain));
}

TEST_CASE("the road's class has its name, is the second of two, or is given") {
  CHECK(RoadLayer::make({"sky", "Road", "tree"}, ""));
  CHECK(RoadLayer::make({"a", "b"}, ""));
  CHECK(RoadLayer::make({"a", "b", "c"}, "c"));
  CHECK(RoadLayer::make({}, "3"));
  const auto unknown = RoadLayer::make({"a", "b", "c"}, "");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().find("--road-classes") != std::string::npos);
}
