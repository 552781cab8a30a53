// What all formats share: recognition, dates, telemetry at a time, what is missing.
#include "apps/drone/logs/flight.hpp"

#include <doctest/doctest.h>

#include "apps/drone/logs/flight_summary.hpp"
#include "apps/drone/logs/interpolation.hpp"
#include "apps/drone/logs/log_text.hpp"
#include "tests/drone/logs/log_files.hpp"

using namespace shingle;
using namespace shingle::drone;

TEST_CASE("files that are no readable log are refused with what to do") {
  check_sentence(read_flight("", "a"), "'a' is empty");
  check_sentence(read_flight("hello\nworld\n", "a"), "'a' is no flight log that is known here");
  check_sentence(read_flight(std::string("ULog\x01\x12\x35", 7), "a"), "a PX4 ULog; convert it");
  check_sentence(read_flight("\xA3\x95\x80", "a"), "an ArduPilot DataFlash log; convert it");
}

TEST_CASE("dates are read and written, and impossible ones are refused") {
  const auto seconds = [](std::string_view text) {
    const auto date = take_date_time(text);
    return date && text.empty() ? date->seconds : -1.0;
  };
  CHECK(seconds("1970-01-01 00:00:00") == 0.0);
  CHECK(seconds("2000.03.01 00:00:01") == 951868801.0);
  CHECK(seconds("2022-08-07 13:40:40,774,808") ==
        doctest::Approx(1659879640.774808).epsilon(1e-15));
  CHECK(seconds("2022-08-07T13:40:40.5+02:00") == 1659872440.5);
  CHECK(seconds("2022-8-7 3:40:40Z") == 1659843640.0);
  for (const char* wrong : {"2023-02-29 00:00:00", "2022-13-01 00:00:00", "2022-01-01 24:00:00",
                            "2022-01-01", "2022-01-01 00:00", "22-01-01 00:00:00"})
    CHECK_MESSAGE(seconds(wrong) == -1.0, wrong);
  CHECK(date_time_text(951868801.0) == "2000-03-01 00:00:01.000");
  CHECK(date_time_text(-0.25) == "1969-12-31 23:59:59.750");
  CHECK(date_time_text(1709251199.999999, 6) == "2024-02-29 23:59:59.999999");
}

TEST_CASE("numbers are read whole, with a sign, and not from words") {
  CHECK(number_of(" +1.5 ") == 1.5);
  CHECK(number_of("-.5") == -0.5);
  for (const char* wrong : {"", "-", "+-1", "inf", "nan", "1.5m", "1e999", "0x10"})
    CHECK_MESSAGE(!number_of(wrong).has_value(), wrong);
}

TEST_CASE("telemetry between samples lies on the line, and directions go the shorter way") {
  const Flight flight = flight_of(
      "video_time,local_time,height,body_yaw,longitude\n"
      "0,2024-01-01 00:00:00,10,350,179.9\n2,2024-01-01 00:00:02,20,20,-179.9\n");
  const auto middle = telemetry_at(flight, 1.0);
  REQUIRE(middle.ok());
  CHECK(middle->seconds == 1.0);
  CHECK(middle->height == 15.0);
  CHECK(*middle->body_yaw == doctest::Approx(5.0));
  CHECK(std::abs(*middle->longitude) == doctest::Approx(180.0));
  CHECK(*middle->clock == *flight.samples[0].clock + 1.0);
  CHECK(!middle->latitude.has_value());
  CHECK(direction_between(350.0, 10.0, 0.25) == doctest::Approx(355.0));
  CHECK(direction_between(-170.0, 170.0, 0.25) == doctest::Approx(-175.0));
  CHECK(direction_between(-170.0, 170.0, 0.75) == doctest::Approx(175.0));
  CHECK(direction_between(200.0, 220.0, 0.5) == doctest::Approx(210.0));
}

TEST_CASE("the ends hold for a second and no longer, and their clock goes on") {
  const Flight flight =
      flight_of("video_time,utc,height\n5,2024-01-01 00:00:00,10\n6,2024-01-01 00:00:01,20\n");
  const auto before = telemetry_at(flight, 4.2), after = telemetry_at(flight, 6.9);
  REQUIRE((before.ok() && after.ok()));
  CHECK(before->height == 10.0);
  CHECK(after->height == 20.0);
  CHECK(*after->clock - *flight.samples[1].clock == doctest::Approx(0.9));
  CHECK(*before->clock - *flight.samples[0].clock == doctest::Approx(-0.8));
  CHECK(!telemetry_at(flight, 3.9).ok());
  const auto late = telemetry_at(flight, 7.1);
  REQUIRE(!late.ok());
  CHECK(late.error() ==
        "'log' has no telemetry at 7.100 s; it goes from 5.000 to 6.000 s: check the offset to the "
        "video");
}

TEST_CASE("a last subtitle holds as long as it is shown, and a second more") {
  const Flight flight = flight_of("1\n00:00:00,000 --> 00:00:03,000\nH 20.0m\n");
  CHECK(telemetry_at(flight, 2.9)->height == 20.0);
  CHECK(telemetry_at(flight, 3.9)->height == 20.0);
  CHECK(!telemetry_at(flight, 4.1).ok());
}

TEST_CASE("a quantity that is rarer than others is taken from where it is known, gaps are not") {
  const Flight flight = flight_of("time,height,altitude\n0,10,100\n1,11,\n2,12,102\n20,30,\n");
  CHECK(telemetry_at(flight, 0.5)->altitude == doctest::Approx(100.5));
  CHECK(telemetry_at(flight, 2.9)->altitude == 102.0);
  CHECK(!telemetry_at(flight, 3.5)->altitude.has_value());
  CHECK(telemetry_at(flight, 2.9)->height == 12.0);
  CHECK(!telemetry_at(flight, 10.0)->height.has_value());  // 18 s without a sample
  CHECK(telemetry_at(flight, 19.5)->height == 30.0);
}

TEST_CASE("what a log lacks is said") {
  const auto has = [](const Flight& flight, const std::string& part) {
    for (const std::string& each : summary_of(flight).missing)
      if (each.find(part) != std::string::npos) return true;
    return false;
  };
  const Flight poor = flight_of("time,altitude\n0,10\n1,11\n");
  for (const char* part : {"without a position", "the altitude counts", "give --gimbal-pitch",
                           "without a yaw", "35 mm equivalent", "no UTC", "offset to the video"})
    CHECK_MESSAGE(has(poor, part), part);
  const Flight rich = flight_of(
      "video_time,utc,latitude,longitude,height,body_yaw,gimbal_pitch,focal_35mm\n"
      "0,2024-01-01 00:00:00,41,2,50,10,-90,24\n");
  CHECK(summary_of(rich).missing.empty());
}
