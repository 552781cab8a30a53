// Slices leave nothing out, and what they say together is what one look at the picture says.
#include "apps/drone/slices/slice.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "apps/drone/slices/merge.hpp"
#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

// Every other one of a camera that looks slantwise, so that the shrink at the lower border is up to
// twice the middle's.
SliceGeometry drawn_geometry(Dice& dice) {
  SliceGeometry geometry{.picture_width = 200 + static_cast<int>(dice.below(3800)),
                         .picture_height = 150 + static_cast<int>(dice.below(2100)),
                         .input_width = 192 + static_cast<int>(dice.below(500)),
                         .input_height = 192 + static_cast<int>(dice.below(300)),
                         .shrink = 0.5 + 3.0 * dice.unit()};
  geometry.min_shrink = 0.3 * geometry.shrink;
  geometry.max_shrink = 1.5 * geometry.shrink;
  if (dice.below(2) == 0)
    geometry.slope = dice.unit() * geometry.shrink / (geometry.picture_height / 2.0);
  return geometry;
}

bool contains(const PixelBox& outer, const PixelBox& inner) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
         inner.bottom() <= outer.bottom();
}

Box as_found(const PixelBox& box) {
  return {static_cast<float>(box.x), static_cast<float>(box.y), static_cast<float>(box.w),
          static_cast<float>(box.h)};
}

// What a detector finds in a slice of a picture with these vehicles: the part of each that is
// there.
SliceFinding seen_in(const PictureSlice& slice, std::span<const PixelBox> vehicles) {
  SliceFinding finding{.slice = slice};
  for (const PixelBox& each : vehicles) {
    const double left = std::max<double>(each.x, slice.x), top = std::max<double>(each.y, slice.y);
    const double right = std::min<double>(each.right(), slice.x + slice.width);
    const double bottom = std::min<double>(each.bottom(), slice.y + slice.height);
    if (right <= left || bottom <= top) continue;
    const PixelBox part{left, top, right - left, bottom - top};
    const double visible = part.area() / each.area();
    if (visible < 0.15) continue;
    finding.found.push_back(
        {.class_id = 0, .score = static_cast<float>(0.5 + 0.4 * visible), .box = as_found(part)});
  }
  return finding;
}

}  // namespace

TEST_CASE("each place of a picture lies in the inner part of a slice of a full cover") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const SliceGeometry geometry = drawn_geometry(dice);
    const auto slices = full_cover(geometry);
    for (int point = 0; point < 100; ++point) {
      const PixelBox place{dice.unit() * (geometry.picture_width - 2.0),
                           dice.unit() * (geometry.picture_height - 2.0), 1e-3, 1e-3};
      CHECK(std::ranges::any_of(slices, [&](const PictureSlice& each) {
        // Slices begin at whole pixels: the inner parts may be a pixel apart.
        PixelBox inner = inner_part(each, geometry);
        inner.x -= 1.0, inner.y -= 1.0, inner.w += 2.0, inner.h += 2.0;
        return contains(inner, place);
      }));
    }
    for (const PictureSlice& each : slices) {
      CHECK(each.x >= 0);
      CHECK(each.y >= 0);
      CHECK(each.x + each.width <= geometry.picture_width);
      CHECK(each.y + each.height <= geometry.picture_height);
    }
  }
}

TEST_CASE("at the shrink that shows the whole picture one slice covers it") {
  SliceGeometry geometry{1920, 1080, 640, 384, 1.0};
  CHECK(full_cover(geometry).size() > 6);
  geometry.shrink = whole_shrink(geometry);
  REQUIRE(full_cover(geometry).size() == 1);
  CHECK(full_cover(geometry).front() == PictureSlice{0, 0, 1920, 1080});
}

TEST_CASE("rows of the input are counted as the shrink of each row says") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const SliceGeometry geometry = drawn_geometry(dice);
    double rows = 0.0;
    for (int y = 0; y < geometry.picture_height; ++y) {
      const double linear =
          geometry.shrink + geometry.slope * (y + 0.5 - geometry.picture_height / 2.0);
      rows += 1.0 / std::clamp(linear, geometry.min_shrink, geometry.max_shrink);
    }
    CHECK(input_rows(geometry, 0.0) == 0.0);
    CHECK(input_rows(geometry, geometry.picture_height) == doctest::Approx(rows).epsilon(1e-4));
  }
}

TEST_CASE("rows of the input and of the picture lead to each other, with any slope") {
  for (const double slope : {0.0, 1e-18, 1e-13, 1e-9, 1e-5, 0.0008, 0.002, 0.1}) {
    CAPTURE(slope);
    SliceGeometry geometry{1920, 1080, 640, 384, 1.1, slope};
    geometry.min_shrink = 0.5;
    geometry.max_shrink = 3.0;
    for (int y = 0; y <= 1080; y += 27)
      CHECK(picture_row(geometry, input_rows(geometry, y)) == doctest::Approx(y).epsilon(1e-6));
    const PictureSlice first = full_cover(geometry).front();
    CHECK(shrink_of(first, geometry) > 0.49);
    CHECK(shrink_of(first, geometry) < 1.11);
  }
}

TEST_CASE("a camera that looks slantwise has small slices at the top, and no more slices") {
  // 45 degrees down from 100 m, 24 mm: the shrink is 0.6 at the top and 1.55 at the bottom.
  const SliceGeometry flat{1920, 1080, 640, 384, 1.09};
  SliceGeometry slanting = flat;
  slanting.slope = 0.45 / 540.0;
  const auto slices = full_cover(slanting);
  CHECK(slices.size() <= full_cover(flat).size());
  CHECK(slices.front().height < slices.back().height);
  CHECK(shrink_of(slices.front(), slanting) == doctest::Approx(0.75).epsilon(0.03));
  CHECK(shrink_of(slices.back(), slanting) == doctest::Approx(1.32).epsilon(0.03));
  for (const PictureSlice& each : slices) {
    CHECK(each.height == doctest::Approx(384.0 * shrink_of(each, slanting)).epsilon(0.01));
    CHECK(each.width == doctest::Approx(640.0 * shrink_of(each, slanting)).epsilon(0.01));
  }
  CHECK(slices.back().y + slices.back().height == 1080);
}

TEST_CASE("what one slice says of the whole picture is left as it is") {
  const SliceGeometry geometry{1000, 600, 640, 384, 3.0};
  const std::vector<Detection> reference{
      {0, 0.9F, {10, 10, 40, 20}},
      {1, 0.8F, {12, 11, 40, 20}},    // another class, the same place
      {0, 0.7F, {990, 100, 10, 20}},  // at the picture's border
      {0, 0.2F, {0, 580, 30, 20}}};
  CHECK(merged(std::vector<SliceFinding>{{{0, 0, 1000, 600}, reference}}, geometry, 0.45F) ==
        reference);
}

TEST_CASE("slices of a full cover say of vehicles what one look at the whole picture says") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    SliceGeometry geometry{1920, 1080, 640, 384, 0.8 + 0.7 * dice.unit()};
    if (seed % 2 == 0) geometry.slope = 0.1 * dice.unit() / 540.0;
    // On a raster, so that they do not overlap; some reach into the picture from outside.
    std::vector<PixelBox> vehicles;
    for (int row = -1; row < 10; ++row)
      for (int column = -1; column < 17; ++column) {
        const double length = 30.0 + 70.0 * dice.unit(), width = 14.0 + 14.0 * dice.unit();
        const bool stands = dice.unit() < 0.3;
        const PixelBox box{column * 115.0 + 10.0 * dice.unit(), row * 115.0 + 10.0 * dice.unit(),
                           stands ? width : length, stands ? length : width};
        if (dice.unit() < 0.6) vehicles.push_back(box);
      }
    const SliceFinding whole = seen_in({0, 0, 1920, 1080}, vehicles);
    std::vector<SliceFinding> parts;
    for (const PictureSlice& slice : full_cover(geometry))
      parts.push_back(seen_in(slice, vehicles));
    const auto found = merged(parts, geometry, 0.45F);
    CHECK(found.size() == whole.found.size());
    for (const Detection& wanted : whole.found)
      CHECK(std::ranges::any_of(found, [&](const Detection& each) {
        return intersection_over_union(each.box, wanted.box) > 0.99F;
      }));
  }
}

TEST_CASE("a vehicle longer than the overlap is put together of its parts") {
  const SliceGeometry geometry{1100, 384, 640, 384, 1.0};
  const auto slices = full_cover(geometry);
  REQUIRE(slices.size() == 2);
  const std::vector<PixelBox> road_train{{400, 100, 300, 30}};
  std::vector<SliceFinding> parts;
  for (const PictureSlice& slice : slices) parts.push_back(seen_in(slice, road_train));
  REQUIRE(parts[0].found.size() == 1);
  REQUIRE(parts[1].found.size() == 1);
  const auto found = merged(parts, geometry, 0.45F);
  REQUIRE(found.size() == 1);
  CHECK(found.front().box == as_found(road_train.front()));
}

TEST_CASE("a part of a vehicle at the border of the only slice there is left out") {
  const SliceGeometry geometry{2000, 1000, 640, 384, 1.0};
  const std::vector<PixelBox> vehicle{{630, 100, 40, 20}};
  const std::vector<SliceFinding> parts{seen_in({0, 0, 640, 384}, vehicle)};
  REQUIRE(parts.front().found.size() == 1);
  CHECK(merged(parts, geometry, 0.45F).empty());
}
