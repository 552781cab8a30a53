// Where a video lies in a log: by clocks, and by motion.
//
//   log       |--- 40 s at 10 Hz, rounded as DJI's -------------------|
//   video              |--- 30 fps, noise of the pictures' motion ----|---->
//             <- 7.3 s ->
#include "apps/drone/logs/offset.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "partition/base/dice.hpp"
#include "tests/drone/logs/log_files.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double frame = 1.0 / 30.0;
constexpr double shift = 7.3;

double rounded(double value, double step) { return step * std::round(value / step); }

double noise(Dice& dice) {  // of variance 1
  double sum = -6.0;
  for (int each = 0; each < 12; ++each) sum += dice.unit();
  return sum;
}

// A flight with turns and straight legs of random strength; `seconds` is the log's time.
struct Manoeuvres {
  explicit Manoeuvres(Dice& dice) {
    for (Turn& turn : turns) {
      turn.middle = 60.0 * dice.unit() - 5.0;
      turn.width = 0.8 + 2.0 * dice.unit();
      turn.angle = 160.0 * dice.unit() - 80.0;
      turn.speed = 6.0 * dice.unit() - 3.0;
    }
  }
  struct Turn {
    double middle = 0.0, width = 1.0, angle = 0.0, speed = 0.0;
  };
  Turn turns[14];

  double yaw(double seconds) const {
    double sum = 170.0;
    for (const Turn& turn : turns)
      sum += 0.5 * turn.angle * (1.0 + std::tanh((seconds - turn.middle) / turn.width));
    return std::remainder(sum, 360.0);
  }
  double yaw_rate(double seconds) const {
    return std::remainder(yaw(seconds + 1e-4) - yaw(seconds - 1e-4), 360.0) / 2e-4;
  }
  double speed(double seconds) const {
    double sum = 8.0;
    for (const Turn& turn : turns)
      sum += turn.speed * std::exp(-0.5 * std::pow((seconds - turn.middle) / turn.width, 2));
    return sum;
  }
};

// 40 s at 10 Hz: 0.1 degree, 1e-6 degrees of latitude and longitude.
template <class Course>
Flight log_of(const Course& course, double begin = 0.0) {
  Flight flight{.name = "log", .time = LogTime::own};
  double north = 0.0, east = 0.0;
  for (int at = 0; at <= 400; ++at) {
    const double seconds = begin + 0.1 * at;
    flight.samples.push_back({.seconds = seconds,
                              .latitude = rounded(41.0 + north / 111195.0, 1e-6),
                              .longitude = rounded(2.0 + east / 83920.0, 1e-6),
                              .gimbal_yaw = rounded(course.yaw(seconds), 0.1)});
    for (int part = 0; part < 10; ++part) {  // to the next sample
      const double then = seconds + 0.01 * part + 0.005;
      const double heading = course.yaw(then) * std::numbers::pi / 180.0;
      north += 0.01 * course.speed(then) * std::cos(heading);
      east += 0.01 * course.speed(then) * std::sin(heading);
    }
  }
  return flight;
}

// What pictures show of it: rates between pictures, with noise.
template <class Rate>
Signal pictures_of(Rate rate, double error, Dice& dice) {
  Signal signal;
  for (int at = 0; at < 1200; ++at) {
    const double middle = (at + 0.5) * frame;
    signal.push_back({middle, rate(middle + shift) + error * noise(dice)});
  }
  return signal;
}

struct Still {
  double yaw(double) const { return 12.34; }
  double speed(double) const { return 0.0; }
};

struct Circle {
  double yaw(double seconds) const { return std::remainder(9.0 * seconds, 360.0); }
  double speed(double) const { return 7.0; }
};

// One signal of pictures and one of the log.
Result<FoundOffset> offset_of(const Signal& pictures, const Signal& log,
                              const OffsetSearch& search = {}) {
  const MotionPair pair{pictures, log};
  return offset_by_motion(std::span(&pair, 1), search);
}

// How often the offset was found, how wrong it was, and how often its interval holds the truth.
struct Tally {
  int found = 0, covered = 0, beyond_frame = 0;
  double worst = 0.0;
  void add(const Result<FoundOffset>& offset) {
    if (!offset) return;
    const double error = std::abs(offset->seconds - shift);
    ++found;
    covered += error <= offset->half_width ? 1 : 0;
    beyond_frame += error >= frame ? 1 : 0;
    worst = std::max(worst, error);
  }
  std::string text() const {
    return std::to_string(found) + " found, " + std::to_string(covered) +
           " within their interval, " + std::to_string(beyond_frame) +
           " a frame or more away, worst " + std::to_string(1000.0 * worst) + " ms";
  }
};

// Pictures: 0.5 degrees a second, and 0.1 pixel from picture to picture at 10 to 25 pixels a metre.
struct Pictures {
  Signal turning{}, moving{};
};
Pictures pictures_with_noise(const Manoeuvres& course, Dice& dice) {
  const double scale = 10.0 + 15.0 * dice.unit();
  return {pictures_of([&](double at) { return course.yaw_rate(at); }, 0.5, dice),
          pictures_of([&](double at) { return scale * course.speed(at); }, 3.0, dice)};
}

}  // namespace

TEST_CASE("a manoeuvring flight's log is found within a frame from its turns and its speed") {
  Tally both, turns, speed;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Dice dice(seed);
    const Manoeuvres course(dice);
    const Flight flight = log_of(course);
    const Signal turning = yaw_rate_of(flight), moving = ground_speed_of(flight);
    const Pictures pictures = pictures_with_noise(course, dice);
    const MotionPair pairs[] = {{pictures.turning, turning}, {pictures.moving, moving}};
    both.add(offset_by_motion(pairs));
    turns.add(offset_by_motion(std::span(pairs, 1)));
    speed.add(offset_by_motion(std::span(pairs + 1, 1)));
  }
  MESSAGE("both: ", both.text());
  MESSAGE("turns: ", turns.text());
  MESSAGE("speed: ", speed.text());
  CHECK(both.found == 100);
  CHECK(both.beyond_frame == 0);
  CHECK(turns.found >= 99);
  CHECK(turns.beyond_frame == 0);
  CHECK(speed.found >= 90);
  CHECK(both.covered >= 88);
  CHECK(turns.covered >= 88);
  CHECK(speed.covered >= 80 * speed.found / 100);
}

TEST_CASE("a flight that does not vary, or another flight's log, is unknown and never wrong") {
  for (uint64_t seed = 201; seed <= 260; ++seed) {
    Dice dice(seed);
    const Manoeuvres course(dice), other(dice);
    const auto unknown = [&](const Result<FoundOffset>& offset) {
      REQUIRE_MESSAGE(!offset.ok(), "seed ", seed);
      CHECK(offset.error().find("not known from motion") != std::string::npos);
      CHECK(offset.error().ends_with("; give the offset"));
    };
    const Signal still = pictures_of([](double) { return 0.0; }, 0.3, dice);
    const Signal turning = pictures_of([&](double at) { return course.yaw_rate(at); }, 0.3, dice);
    const Signal circling = pictures_of([](double) { return 9.0; }, 0.3, dice);
    unknown(offset_of(still, yaw_rate_of(log_of(Still{}))));
    unknown(offset_of(still, ground_speed_of(log_of(Still{}))));
    unknown(offset_of(still, yaw_rate_of(log_of(course))));
    unknown(offset_of(turning, yaw_rate_of(log_of(Still{}))));
    unknown(offset_of(turning, yaw_rate_of(log_of(other))));
    unknown(offset_of(circling, yaw_rate_of(log_of(Circle{}))));
    unknown(offset_of(circling, ground_speed_of(log_of(Circle{}))));
  }
}

// Noise that drifts: an autoregressive process with a time constant.
Signal drift(double length, double step, double time_constant, Dice& dice) {
  Signal signal;
  const double keep = std::exp(-step / time_constant);
  double value = noise(dice);
  for (double seconds = 0.0; seconds < length; seconds += step) {
    value = keep * value + std::sqrt(1.0 - keep * keep) * noise(dice);
    signal.push_back({seconds, value});
  }
  return signal;
}

TEST_CASE("two drifts that have nothing in common are unknown, however slow they are") {
  for (const double time_constant : {0.3, 1.0, 3.0, 8.0, 20.0})
    for (uint64_t seed = 301; seed <= 340; ++seed) {
      Dice dice(seed);
      const Signal pictures = drift(40.0, frame, time_constant, dice);
      const Signal log = drift(60.0, 0.1, time_constant, dice);
      CHECK_MESSAGE(!offset_of(pictures, log).ok(), "seed ", seed);
    }
}

TEST_CASE("a flight that weaves regularly fits at several offsets and is unknown") {
  struct Weaving {
    double yaw(double seconds) const { return 30.0 * std::sin(2.0 * seconds); }
    double speed(double) const { return 5.0; }
  };
  Dice dice(5);
  const Signal pictures =
      pictures_of([](double at) { return 60.0 * std::cos(2.0 * at); }, 0.3, dice);
  const auto offset = offset_of(pictures, yaw_rate_of(log_of(Weaving{})));
  REQUIRE(!offset.ok());
  CHECK(offset.error().find("fits at several offsets") != std::string::npos);
  // Which is known when it has to be near.
  const auto near = offset_of(pictures, yaw_rate_of(log_of(Weaving{})),
                              {.least = shift - 1.0, .most = shift + 1.0});
  REQUIRE(near.ok());
  CHECK(std::abs(near->seconds - shift) < frame);
}

TEST_CASE("a gap in the pictures' motion is no motion, and too little of it is unknown") {
  Dice dice(7);
  const Manoeuvres course(dice);
  Signal pictures = pictures_of([&](double at) { return course.yaw_rate(at); }, 0.3, dice);
  std::erase_if(pictures, [](const SignalSample& each) {
    return each.seconds > 12.0 && each.seconds < 15.0;
  });
  const auto offset = offset_of(pictures, yaw_rate_of(log_of(course)));
  REQUIRE_MESSAGE(offset.ok(), offset.error());
  CHECK(std::abs(offset->seconds - shift) < frame);
  const Signal part(pictures.begin(), pictures.begin() + 100);
  CHECK(!offset_of(part, yaw_rate_of(log_of(course))).ok());
  CHECK(!offset_by_motion({}).ok());
}

TEST_CASE("an offset by clocks needs UTC, and a log of another day is refused") {
  const std::string text = "time,utc,height\n3,2024-01-01 10:00:00,1\n13,2024-01-01 10:00:10,1\n";
  const Flight flight = flight_of(text);
  const double start = 1704103202.0;  // 10:00:02
  REQUIRE(offset_by_clock(flight, start, 30.0).ok());
  CHECK(*offset_by_clock(flight, start, 30.0) == doctest::Approx(5.0));
  const auto other = offset_by_clock(flight, start + 86400.0, 30.0);
  REQUIRE(!other.ok());
  CHECK(other.error() ==
        "'log' goes from 2024-01-01 10:00:00.000 to 2024-01-01 10:00:10.000 UTC and covers nothing "
        "of the video, which begins at 2024-01-02 10:00:02.000 UTC; use the log of that flight");
  CHECK(!offset_by_clock(flight_of("time,height\n0,1\n"), start, 30.0).ok());
  CHECK(
      !offset_by_clock(flight_of("local_time,height\n2024-01-01 10:00:00,1\n"), start, 30.0).ok());
}
