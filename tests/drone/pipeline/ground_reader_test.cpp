// Places and speeds while a video runs, by a drawn log.
#include "apps/drone/pipeline/ground_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "apps/drone/logs/interpolation.hpp"
#include "tests/drone/pipeline/hovering_flight.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double rate = log_rate;

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

TEST_CASE("looking back tells the speed of moments when it was not known yet") {
  auto reader = GroundReader::make(hovering(20.0), full_hd, 0.0);
  REQUIRE(reader);
  std::vector<GroundReading> live;
  for (int i = 0; i < 12; ++i) {
    reader->begin_frame(i / rate);
    live.push_back(reader->read(car_at(-20.0 + 10.0 * i / rate), VehicleKind::car));
  }
  const SmoothedTrack track = reader->smoothed_track(3);
  REQUIRE(track.motions.size() == 12);
  CHECK(track.height == doctest::Approx(0.75));
  GroundReading first = live.front();
  CHECK_FALSE(first.speed_mps.value);
  reader->look_back(track, 0.0, first);
  CHECK(*first.speed_mps.value == doctest::Approx(10.0).epsilon(0.01));
  CHECK(*first.speed_mps.half_width > 0.0);
  CHECK(*first.x_metres.value == doctest::Approx(-20.0).epsilon(0.01));
  CHECK(std::abs(*first.longitude - *live.front().longitude) < 1e-6);  // 7 cm
}

TEST_CASE("looking back leaves a reading as it is where the track has nothing") {
  auto reader = GroundReader::make(hovering(20.0), full_hd, 0.0);
  REQUIRE(reader);
  reader->begin_frame(0.0);
  const GroundReading live = reader->read(car_at(0.0), VehicleKind::car);
  GroundReading later = live;
  reader->look_back(reader->smoothed_track(3), 5.0, later);
  CHECK(later == live);
  CHECK(reader->smoothed_track(99).motions.empty());
}

TEST_CASE("a camera that looks slantwise shows the lower border from nearer") {
  Flight flight = hovering(5.0);
  const auto down = GroundReader::make(flight, full_hd, 0.0)->scale_at(1.0);
  REQUIRE(down);
  CHECK(down->middle == doctest::Approx(100.0 / 1280.0));
  CHECK(down->below == doctest::Approx(down->middle));
  for (Telemetry& moment : flight.samples) moment.gimbal_pitch = -45.0;
  const auto slanting = GroundReader::make(flight, full_hd, 0.0)->scale_at(1.0);
  REQUIRE(slanting);
  CHECK(slanting->middle == doctest::Approx(std::sqrt(2.0) * 100.0 / 1280.0));
  // At 45 degrees the depth of flat ground falls by 1 + the tangent of the angle below the axis.
  CHECK(slanting->below == doctest::Approx(slanting->middle / (1.0 + 540.0 / 1280.0)));
}
