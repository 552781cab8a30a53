// Where a video lies in its log, by how its pictures moved: drawn flights whose log is late.
#include "apps/drone/align/picture_offset.hpp"

#include <doctest/doctest.h>

#include "tests/drone/align/drawn_log.hpp"

using namespace shingle;
using namespace shingle::drone;

TEST_CASE("a log that is shifted by 7.3 s is found within a frame") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const DrawnLog drawn(seed);
    const auto found = offset_by_pictures(drawn.logged(true), drawn.pictures(seed), full_hd());
    REQUIRE_MESSAGE(found, "seed " << seed << ": " << found.error());
    CHECK_MESSAGE(std::abs(found->seconds - late_seconds) < 1.0 / video_rate, "seed " << seed);
  }
}

TEST_CASE("a log without camera and height is held against turns and speed") {
  int found_count = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const DrawnLog drawn(seed);
    const Flight poor = drawn.logged(false);
    CHECK(steps_of(poor, full_hd()).empty());
    const auto found = offset_by_pictures(poor, drawn.pictures(seed), full_hd());
    if (!found) continue;
    ++found_count;
    CHECK_MESSAGE(std::abs(found->seconds - late_seconds) < 0.1, "seed " << seed);
  }
  CHECK(found_count >= 8);
}

TEST_CASE("pictures of another flight, or a camera that stood still, give no offset") {
  const Flight flight = DrawnLog(1).logged(true);
  CHECK_FALSE(offset_by_pictures(flight, DrawnLog(77).pictures(77), full_hd()));
  std::vector<PictureStep> still;
  for (int i = 1; i < 700; ++i) still.push_back({(i - 1) / video_rate, i / video_rate});
  CHECK_FALSE(offset_by_pictures(flight, still, full_hd()));
  CHECK_FALSE(offset_by_pictures(flight, {}, full_hd()));
}
