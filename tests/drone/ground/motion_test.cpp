#include "apps/drone/ground/motion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "partition/base/dice.hpp"
#include "tests/flights/flight.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

std::vector<GroundObservation> steady(double speed, size_t count, double rate) {
  std::vector<GroundObservation> track;
  for (size_t i = 0; i < count; ++i) {
    const double seconds = static_cast<double>(i) / rate;
    track.push_back({seconds, {speed * seconds, 0.0}});
  }
  return track;
}

double normal(Dice& dice) {  // Box and Muller
  const double radius = std::sqrt(-2.0 * std::log(1.0 - dice.unit()));
  return radius * std::cos(2.0 * std::numbers::pi * dice.unit());
}

// The process that rts_smoother.hpp names (Matern of order 3/2), by small steps of Euler's.
class Wander {
 public:
  Wander(Dice& dice, double sigma, double seconds)
      : dice_(dice), pull_(1.0 / seconds), push_(2.0 * sigma * std::sqrt(pull_ * pull_ * pull_)) {
    after(10.0 * seconds);
  }
  double after(double seconds) {
    constexpr double step = 1e-3;
    for (double done = 0.0; done < seconds; done += step) {
      at_ += step * speed_;
      speed_ +=
          -step * pull_ * (pull_ * at_ + 2.0 * speed_) + push_ * std::sqrt(step) * normal(dice_);
    }
    return at_;
  }

 private:
  Dice& dice_;
  double pull_, push_;
  double at_ = 0.0, speed_ = 0.0;
};

}  // namespace

TEST_CASE("a vehicle that drives east at 10 m/s has that speed and heading") {
  const auto motions = ground_motion(steady(10.0, 60, 30.0));
  REQUIRE(motions.ok());
  for (const GroundMotion& motion : *motions) {
    REQUIRE((motion.speed && motion.heading));
    CHECK(motion.speed->value == doctest::Approx(10.0).epsilon(1e-3));
    CHECK(motion.heading->value == doctest::Approx(std::numbers::pi / 2).epsilon(1e-3));
  }
}

TEST_CASE("a vehicle that stands has a speed near 0 and no heading") {
  const auto motions = ground_motion(steady(0.0, 60, 30.0));
  REQUIRE(motions.ok());
  CHECK(covers(*(*motions)[30].speed, 0.0));
  CHECK(!(*motions)[30].heading);
}

TEST_CASE("the speed of a track that is too short is empty, not 0") {
  const auto motions = ground_motion(steady(10.0, fewest_for_speed - 1, 30.0));
  REQUIRE(motions.ok());
  for (const GroundMotion& motion : *motions) {
    CHECK(!motion.speed);
    CHECK(!motion.acceleration);
    CHECK(!motion.heading);
  }
}

TEST_CASE("the latest motion is the last one of all") {
  auto track = steady(10.0, 40, 12.0);
  for (size_t i = 0; i < track.size(); ++i) {
    const auto n = static_cast<double>(i);
    track[i].position += 0.05 * Eigen::Vector2d(std::sin(37.0 * n), std::cos(53.0 * n));
  }
  const auto all = ground_motion(track);
  const auto latest = latest_ground_motion(track);
  REQUIRE((all.ok() && latest.ok()));
  CHECK(latest->speed->value == doctest::Approx(all->back().speed->value));
  CHECK(latest->speed->half_width == doctest::Approx(all->back().speed->half_width));
  CHECK(latest->east.value == doctest::Approx(all->back().east.value));
  CHECK_FALSE(latest_ground_motion({}).ok());
}

TEST_CASE("boxes that wander make intervals wider, and these hold the speed") {
  constexpr size_t tracks = 20;
  size_t held = 0, all = 0;
  for (uint64_t seed = 1; seed <= tracks; ++seed) {
    Dice dice(seed);
    auto still = steady(8.0, 120, 30.0);
    for (GroundObservation& each : still)
      each.position += 0.01 * Eigen::Vector2d(normal(dice), normal(dice));
    auto wanders = still;
    Wander east(dice, 0.08, 0.5), north(dice, 0.08, 0.5);
    for (GroundObservation& each : wanders)
      each.position += Eigen::Vector2d(east.after(1.0 / 30.0), north.after(1.0 / 30.0));
    const auto narrow = ground_motion(still), wide = ground_motion(wanders);
    REQUIRE((narrow.ok() && wide.ok()));
    CHECK((*wide)[60].speed->half_width > (*narrow)[60].speed->half_width);
    for (const GroundMotion& motion : *wide) held += covers(*motion.speed, 8.0);
    all += wide->size();
  }
  MESSAGE("held " << held << " of " << all);
  CHECK(static_cast<double>(held) > 0.8 * static_cast<double>(all));
}

TEST_CASE("times that do not grow are an error") {
  auto track = steady(10.0, 10, 30.0);
  track[5].seconds = track[4].seconds;
  const auto motions = ground_motion(track);
  REQUIRE(!motions.ok());
  CHECK(motions.error().find("observation 5") != std::string::npos);
}

TEST_CASE("steps smoothed by a Gaussian go by stream time, not by frames") {
  auto track = steady(10.0, 40, 30.0);
  track.erase(track.begin() + 10, track.begin() + 15);  // frames that were shed
  for (const auto& speed : gaussian_speeds(track, 14.0)) {
    REQUIRE(speed.has_value());
    CHECK(*speed == doctest::Approx(10.0));
  }
  CHECK(!gaussian_speeds(std::span(track).first(1), 14.0)[0]);
}

TEST_CASE("the 95 % intervals of drawn flights hold the truth about that often") {
  flights::FlightCover cover;
  for (uint64_t seed = 7000; seed < 7020; ++seed)
    flights::measure(flights::drawn_flight(seed), cover);
  REQUIRE(cover.total().asked > 10000);
  CHECK(cover.total().share() > 0.90);
  CHECK(cover.total().share() < 0.99);
}
