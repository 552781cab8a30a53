// Taps of resampling: known cases, and properties that demand() relies on.
#include "partition/model/resample.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

using namespace shingle;

TEST_CASE("nearest doubling repeats each input") {
  const ResizeAxis axis{.kind = Resize::Kind::nearest,
                        .coordinates = Resize::Coordinates::asymmetric,
                        .rounding = Resize::Rounding::floor,
                        .scale = 2.0F,
                        .input_size = 3,
                        .output_size = 6};
  for (int32_t o = 0; o < 6; ++o) CHECK(resize_taps(axis, o) == ResizeTaps{o / 2, o / 2, 0.0F});
}

TEST_CASE("linear doubling with half pixels weighs quarters and stays on the map") {
  const ResizeAxis axis{.kind = Resize::Kind::linear,
                        .coordinates = Resize::Coordinates::half_pixel,
                        .rounding = {},
                        .scale = 2.0F,
                        .input_size = 3,
                        .output_size = 6};
  CHECK(resize_taps(axis, 0) == ResizeTaps{0, 1, 0.0F});  // -0.25, clamped
  CHECK(resize_taps(axis, 1) == ResizeTaps{0, 1, 0.25F});
  CHECK(resize_taps(axis, 2) == ResizeTaps{0, 1, 0.75F});
  CHECK(resize_taps(axis, 3) == ResizeTaps{1, 2, 0.25F});
  CHECK(resize_taps(axis, 5) == ResizeTaps{2, 2, 0.0F});  // 2.25, clamped
}

TEST_CASE("exact halves are rounded as the mode's name says") {
  using Rounding = Resize::Rounding;
  CHECK(round_coordinate(Rounding::prefer_floor, 2.5F) == 2.0F);
  CHECK(round_coordinate(Rounding::prefer_floor, 2.6F) == 3.0F);
  CHECK(round_coordinate(Rounding::prefer_floor, -0.5F) == -1.0F);
  CHECK(round_coordinate(Rounding::prefer_ceil, 2.5F) == 3.0F);
  CHECK(round_coordinate(Rounding::prefer_ceil, 2.4F) == 2.0F);
  CHECK(round_coordinate(Rounding::floor, 2.9F) == 2.0F);
  CHECK(round_coordinate(Rounding::ceil, 2.1F) == 3.0F);
}

TEST_CASE("align_corners maps corners to corners") {
  const ResizeAxis axis{.kind = Resize::Kind::linear,
                        .coordinates = Resize::Coordinates::align_corners,
                        .rounding = {},
                        .scale = 2.5F,
                        .input_size = 4,
                        .output_size = 10};
  CHECK(resize_taps(axis, 0) == ResizeTaps{0, 1, 0.0F});
  CHECK(resize_taps(axis, 3) == ResizeTaps{1, 2, 0.0F});
  CHECK(resize_taps(axis, 9) == ResizeTaps{3, 3, 0.0F});
}

TEST_CASE("taps stay on the map and never decrease with the output index, at any scale") {
  networks::Random random(71);
  for (int trial = 0; trial < 4000; ++trial) {
    const int32_t size = random.between(1, 40);
    const ResizeAxis axis{.kind = static_cast<Resize::Kind>(random.between(0, 1)),
                          .coordinates = static_cast<Resize::Coordinates>(random.between(0, 3)),
                          .rounding = static_cast<Resize::Rounding>(random.between(0, 3)),
                          .scale = random.chance(0.1) ? 1e-38F : random.uniform(0.01F, 9.0F),
                          .input_size = size,
                          .output_size = random.between(1, 100)};
    ResizeTaps before{};
    for (int32_t o = 0; o < axis.output_size; ++o) {
      const ResizeTaps taps = resize_taps(axis, o);
      REQUIRE((0 <= taps.first && taps.first <= taps.second && taps.second < size));
      REQUIRE((0.0F <= taps.weight && taps.weight < 1.0F));
      REQUIRE((before.first <= taps.first && before.second <= taps.second));
      before = taps;
    }
  }
}
