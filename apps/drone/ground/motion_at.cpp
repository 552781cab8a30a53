#include "apps/drone/ground/motion_at.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace shingle::drone {
namespace {

constexpr double whole_turn = 2.0 * std::numbers::pi;

Estimate between(const Estimate& a, const Estimate& b, double share) {
  return {std::lerp(a.value, b.value, share), std::lerp(a.half_width, b.half_width, share)};
}

Estimate turned(const Estimate& a, const Estimate& b, double share) {
  const double turn = std::remainder(b.value - a.value, whole_turn);
  const double heading = std::fmod(a.value + share * turn + whole_turn, whole_turn);
  return {heading, std::lerp(a.half_width, b.half_width, share)};
}

template <class Mix>
std::optional<Estimate> mixed(const std::optional<Estimate>& a, const std::optional<Estimate>& b,
                              double share, Mix mix) {
  if (a && b) return mix(*a, *b, share);
  return share < 0.5 ? a : b;
}

}  // namespace

std::optional<GroundMotion> motion_at(std::span<const GroundMotion> track, double seconds) {
  const auto after = std::ranges::lower_bound(track, seconds, {}, &GroundMotion::seconds);
  if (after == track.end()) return std::nullopt;
  if (after->seconds == seconds) return *after;
  if (after == track.begin()) return std::nullopt;
  const GroundMotion &a = *std::prev(after), &b = *after;
  const double share = (seconds - a.seconds) / (b.seconds - a.seconds);
  return GroundMotion{.seconds = seconds,
                      .east = between(a.east, b.east, share),
                      .north = between(a.north, b.north, share),
                      .speed = mixed(a.speed, b.speed, share, between),
                      .acceleration = mixed(a.acceleration, b.acceleration, share, between),
                      .heading = mixed(a.heading, b.heading, share, turned)};
}

}  // namespace shingle::drone
