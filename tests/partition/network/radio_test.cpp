// Times of frames against those in packet traces of ns-3 3.37.
#include "partition/network/radio.hpp"

#include <doctest/doctest.h>

#include "partition/network/wifi_table.hpp"

using namespace shingle;
using namespace std::chrono_literals;

namespace {

RadioTiming radio(std::string_view mode, AirKind kind = AirKind::ad_hoc) {
  const auto timing = radio_timing(mode, kind);
  REQUIRE(timing.has_value());
  return *timing;
}

}  // namespace

TEST_CASE("frames take as long as in packet traces") {
  CHECK(frame_time(radio("n-7-20-800"), 10 * 1532 - 2) == 1930us);
  CHECK(frame_time(radio("n-7-20-800"), 28 * 1532) == 5322us);
  CHECK(in_nanoseconds(frame_time(radio("n-31-40-400"), 42 * 1532)) ==
        doctest::Approx(915'000).epsilon(0.002));
  CHECK(frame_time(radio("g-54"), 1524) == 254us);
  CHECK(frame_time(radio("g-54"), 76) == 38us);
  CHECK(frame_time(radio("b-11"), 76) == 248us);
}

TEST_CASE("answers and waits are those of packet traces") {
  CHECK(radio("n-7-20-800").answer_to_many == 38us);
  CHECK(radio("n-7-20-800").wait == 70us);  // long slots
  CHECK(radio("n-7-20-800", AirKind::access_point).wait == 37us);
  CHECK(radio("g-54").answer_to_one == 34us);
  CHECK(radio("g-54").wait == 50us);
  CHECK(radio("g-54", AirKind::access_point).wait == 28us);
  CHECK(radio("b-11").answer_to_one == 202us);
  CHECK(radio("b-11", AirKind::access_point).answer_to_one == 248us);
}

TEST_CASE("every mode of the tables has its times, and other words have none") {
  for (const std::string_view mode : wifi_modes()) {
    INFO(mode);
    CHECK(radio_timing(mode, AirKind::access_point).has_value());
  }
  for (const std::string_view mode :
       {"", "n", "n-", "n-7", "n-7-20", "n-7-20-800-1", "n-32-20-800", "g-x", "ac-7", "b-11-",
        "b-7", "g-0", "n-7-30-800", "n-7-20-500"}) {
    INFO(mode);
    CHECK_FALSE(radio_timing(mode, AirKind::ad_hoc).has_value());
  }
}
