// Places and speeds while a video runs, by a drawn log.
#include "apps/drone/pipeline/ground_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "apps/drone/logs/interpolation.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double rate = 10.0;
const ViewOptions full_hd{.width = 1920.0, .height = 1080.0};

// 100 m above ground, straight down, north is up: 150 m are 1920 pixels on the ground.
Flight hovering(double seconds) {
  Flight flight{.name = "hover.csv", .time = LogTime::own, .end_seconds = seconds};
  for (int i = 0; i <= seconds * rate; ++i) {
    Telemetry moment;
    moment.line = static_cast<size_t>(i) + 1;
    moment.seconds = i / rate;
    moment.latitude = 48.0;
    moment.longitude = 11.0;
    moment.height = 100.0;
    moment.gimbal_yaw = 0.0;
    moment.gimbal_pitch = -90.0;
    moment.focal_35mm = 24.0;
    flight.samples.push_back(moment);
  }
  return flight;
}

// A car's box whose middle is so many metres east of the picture's middle, at half its height.
TrackedBox car_at(double east) {
  const double pixels_per_metre = 1920.0 / 150.0 * 100.0 / (100.0 - 0.75);
  const double x = 960.0 + east * pixels_per_metre;
  return {.id = 3, .box = {x - 28.0, 540.0 - 12.0, 56.0, 24.0}, .score = 0.9, .class_id = 2};
}

// The upright box around a car that drives east, so many metres from the origin.
PixelBox box_around(const LogView& view, double east, double length, double width) {
  double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
  for (const double along : {-0.5, 0.5})
    for (const double across : {-0.5, 0.5})
      for (const double up : {0.0, 1.5}) {
        const auto pixel =
            *pixel_of(view.camera, view.pose, {east + along * length, across * width, up});
        left = std::min(left, pixel.x()), right = std::max(right, pixel.x());
        top = std::min(top, pixel.y()), bottom = std::max(bottom, pixel.y());
      }
  return {left, top, right - left, bottom - top};
}

}  // namespace

TEST_CASE("a car at 10 m/s to the east is where it is, and as fast") {
  auto reader = GroundReader::make(hovering(20.0), full_hd, 0.0);
  REQUIRE_MESSAGE(reader, reader.error());
  GroundReading reading;
  for (int i = 0; i < 40; ++i) {
    reader->begin_frame(i / rate);
    reading = reader->read(car_at(-20.0 + 10.0 * i / rate), VehicleKind::car);
    if (i < 4) CHECK_FALSE(reading.speed_mps.value);  // not known yet
  }
  REQUIRE(reading.x_metres.value);
  CHECK(*reading.x_metres.value == doctest::Approx(19.0).epsilon(0.01));
  CHECK(std::abs(*reading.y_metres.value) < 0.1);
  REQUIRE(reading.speed_mps.value);
  CHECK(*reading.speed_mps.value == doctest::Approx(10.0).epsilon(0.01));
  CHECK(*reading.speed_mps.half_width > 0.1);  // height and lens are known to a percent
  CHECK(*reading.speed_mps.half_width < 1.0);
  REQUIRE(reading.heading_degrees.value);
  CHECK(*reading.heading_degrees.value == doctest::Approx(90.0).epsilon(0.01));
  CHECK(*reading.longitude > 11.0);
  CHECK(*reading.latitude == doctest::Approx(48.0).epsilon(1e-6));
}

TEST_CASE("a vehicle has its length and width also while the camera turns") {
  Flight flight = hovering(10.0);
  for (Telemetry& moment : flight.samples) moment.gimbal_yaw = 12.0 * moment.seconds;
  const LocalFrame frame = *local_frame_of(flight);
  auto reader = GroundReader::make(flight, full_hd, 0.0);
  REQUIRE_MESSAGE(reader, reader.error());
  GroundReading reading;
  for (int i = 0; i < 80; ++i) {
    const double seconds = i / rate;
    const LogView view = *view_of(*telemetry_at(flight, seconds), frame, full_hd);
    reader->begin_frame(seconds);
    reading = reader->read(
        {.id = 3, .box = box_around(view, -32.0 + 8.0 * seconds, 5.0, 1.9), .score = 0.9},
        VehicleKind::car);
  }
  REQUIRE((reading.length_metres.value && reading.width_metres.value));
  CHECK(std::abs(*reading.length_metres.value - 5.0) < 0.25);
  CHECK(std::abs(*reading.width_metres.value - 1.9) < 0.25);
  CHECK(*reading.length_metres.half_width > 0.05);
  CHECK(*reading.heading_degrees.value == doctest::Approx(90.0).epsilon(0.02));
}

TEST_CASE("a box that the border cuts has a place, but no speed, and slows nothing down") {
  auto reader = GroundReader::make(hovering(20.0), full_hd, 0.0);
  REQUIRE(reader);
  const auto at = [&](int i) {
    TrackedBox box = car_at(60.0 + 10.0 * i / rate);
    const double right = std::min(box.box.right(), full_hd.width);  // what is left of it
    box.box.w = right - box.box.x;
    return box;
  };
  GroundReading last;
  for (int i = 0; i < 15; ++i) {
    reader->begin_frame(i / rate);
    const GroundReading reading = reader->read(at(i), VehicleKind::car);
    if (at(i).box.right() < full_hd.width - 1.0) {
      last = reading;
      continue;
    }
    CHECK(reading.x_metres.value);
    CHECK_FALSE(reading.x_metres.half_width);
    CHECK(reading.latitude);
    CHECK_FALSE(reading.speed_mps.value);
  }
  REQUIRE(last.speed_mps.value);
  CHECK(*last.speed_mps.value == doctest::Approx(10.0).epsilon(0.02));
}

TEST_CASE("outside of the log nothing is known") {
  auto reader = GroundReader::make(hovering(5.0), full_hd, 0.0);
  REQUIRE(reader);
  reader->begin_frame(30.0);
  const GroundReading reading = reader->read(car_at(0.0), VehicleKind::car);
  CHECK(reading == GroundReading{});
}

TEST_CASE("the offset leads from the video to the log") {
  CHECK(GroundReader::make(hovering(20.0), full_hd, 7.3));
  CHECK_FALSE(GroundReader::make(hovering(5.0), full_hd, 60.0));
}

TEST_CASE("a log without lens is refused, and says what to give") {
  Flight flight = hovering(5.0);
  for (Telemetry& moment : flight.samples) moment.focal_35mm.reset();
  const auto reader = GroundReader::make(flight, full_hd, 0.0);
  REQUIRE_FALSE(reader);
  CHECK(reader.error().find("'hover.csv'") != std::string::npos);
  CHECK(reader.error().find("--focal-35mm") != std::string::npos);
  ViewOptions given = full_hd;
  given.focal_35mm = 24.0;
  CHECK(GroundReader::make(flight, given, 0.0));
}
