#include "partition/network/wifi_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace shingle {
namespace {

constexpr AirKind kinds[] = {AirKind::access_point, AirKind::ad_hoc};

TEST_CASE("the Wi-Fi table has one to eight senders of each mode and kind") {
  CHECK(wifi_modes().size() == 8);
  CHECK(wifi_times().size() == 8 * 2 * 8);
  for (const std::string_view mode : wifi_modes())
    for (const AirKind kind : kinds) {
      INFO(mode);
      const std::optional<AirTable> table = air_table(mode, kind);
      REQUIRE(table.has_value());
      REQUIRE(table->size() == 8);
      for (uint32_t i = 0; i < 8; ++i) CHECK((*table)[i].senders == i + 1);
    }
  CHECK(!air_table("ax-11", AirKind::ad_hoc).has_value());
}

// Of the smallest ones the waiting for the air is most; its mean over seeds is known to 10 %.
TEST_CASE("larger messages take longer in the Wi-Fi table") {
  for (const WifiTimes& row : wifi_times()) {
    INFO(row.mode << ", " << row.senders << " senders");
    for (size_t i = 1; i < row.small_us.size(); ++i)
      CHECK(row.small_us[i - 1] < 1.1 * row.small_us[i]);
    CHECK(row.small_us.back() < row.large_us[0]);
    CHECK(row.large_us[0] < row.large_us[1]);
    CHECK(row.large_us[0] <= row.last_us[0]);
    CHECK(row.large_us[1] <= row.last_us[1]);
  }
}

TEST_CASE("a calibration gives back the times of the table") {
  for (const WifiTimes& row : wifi_times()) {
    const WifiCalibration found = calibrate(row);
    for (size_t i = 0; i < wifi_large_bytes.size(); ++i)
      CHECK(found.fixed_seconds +
                static_cast<double>(row.senders * wifi_large_bytes[i]) / found.bytes_per_second ==
            doctest::Approx(row.large_us[i] * 1e-6));
  }
}

TEST_CASE("calibrated air, which delays nothing by less than no time, is within a tenth of them") {
  for (const WifiTimes& row : wifi_times()) {
    INFO(row.mode << ", " << row.senders << " senders");
    const AirRate rate = air_table(row.mode, row.kind)->at(row.senders - 1);
    CHECK(rate.access >= Duration(0));
    const double crossings = row.kind == AirKind::access_point ? 2 : 1;
    for (size_t i = 0; i < wifi_large_bytes.size(); ++i) {
      const double seconds = in_nanoseconds(rate.access) / 1e9 +
                             row.senders * crossings * static_cast<double>(wifi_large_bytes[i]) /
                                 rate.bytes_per_second;
      CHECK(seconds == doctest::Approx(row.large_us[i] * 1e-6).epsilon(0.1));
    }
  }
}

TEST_CASE("one sender of 802.11n reaches what others measured") {
  // docs: 50.6 Mb/s direct, 25.2 Mb/s through an access point, where a byte takes the air twice.
  for (const AirKind kind : kinds) {
    const double mbps = air_table("n-7-20-800", kind)->front().bytes_per_second * 8e-6;
    CHECK(mbps > 48);
    CHECK(mbps < 56);
  }
}

TEST_CASE("small messages are interpolated between the sizes of the table") {
  const auto time = [](int64_t bytes) {
    return small_message_time("g-54", AirKind::ad_hoc, 1, bytes);
  };
  const WifiTimes& row = *std::find_if(
      wifi_times().begin(), wifi_times().end(),
      [](const auto& each) { return each.mode == "g-54" && each.kind == AirKind::ad_hoc; });
  CHECK(time(1) == std::chrono::microseconds(row.small_us[0]));
  CHECK(time(100) == std::chrono::microseconds(row.small_us[0]));
  CHECK(time(2'000) == Duration((row.small_us[1] + row.small_us[2]) * 500));
  CHECK(time(30'000) == std::chrono::microseconds(row.small_us[4]));
  CHECK(small_message_time("g-54", AirKind::ad_hoc, 20, 100) ==
        small_message_time("g-54", AirKind::ad_hoc, 8, 100));
}

}  // namespace
}  // namespace shingle
