#include "apps/drone/track/observations.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace shingle::drone {
namespace {

constexpr double frames_of_direction = 3.0;  // the paper's delta t: less is noise
constexpr double longest_gap = 300.0;        // steps of a re-update

struct Direction {
  double x = 0.0, y = 0.0;
};

Direction direction_between(const PixelBox& from, const PixelBox& to) {
  const double x = to.x + to.w / 2.0 - from.x - from.w / 2.0;
  const double y = to.y + to.h / 2.0 - from.y - from.h / 2.0;
  const double length = std::hypot(x, y);
  return length > 1e-6 ? Direction{x / length, y / length} : Direction{};
}

double between(double from, double to, double share) { return from + (to - from) * share; }

PixelBox between(const PixelBox& from, const PixelBox& to, double share) {
  return {between(from.x, to.x, share), between(from.y, to.y, share), between(from.w, to.w, share),
          between(from.h, to.h, share)};
}

}  // namespace

void Observations::add(const Observation& observation, const BoxState& corrected) {
  if (!seen_.empty()) {
    assert(observation.time > last().time);
    const auto [x, y] =
        direction_between(some_frames_before(observation.time).box, observation.box);
    direction_x_ = x, direction_y_ = y;
  }
  seen_.push_back(observation);
  corrected_ = corrected;
  const auto is_old = [&](const Observation& each) {
    return each.time < observation.time - frames_of_direction;
  };
  seen_.erase(seen_.begin(), std::find_if_not(seen_.begin(), seen_.end(), is_old));
}

void Observations::move(const Homography& motion) {
  if (seen_.empty()) return;
  if (!can_move(motion, last().box) || !can_move(motion, box_of(corrected_))) {
    *this = {};
    return;
  }
  std::erase_if(seen_, [&](const Observation& each) { return !can_move(motion, each.box); });
  const PixelBox here = last().box;
  const PixelBox ahead{here.x + direction_x_, here.y + direction_y_, here.w, here.h};
  const auto [x, y] = direction_between(moved(here, motion), moved(ahead, motion));
  direction_x_ = x, direction_y_ = y;
  for (Observation& each : seen_) each.box = moved(each.box, motion);
  shingle::drone::move(corrected_, motion);
}

const Observation& Observations::some_frames_before(double time) const {
  assert(!seen_.empty());
  for (const Observation& each : seen_)
    if (each.time >= time - frames_of_direction) return each;
  return last();
}

double Observations::agreement(const PixelBox& box, double time) const {
  if (seen_.empty() || (direction_x_ == 0.0 && direction_y_ == 0.0)) return 0.0;
  const auto [x, y] = direction_between(some_frames_before(time).box, box);
  if (x == 0.0 && y == 0.0) return 0.0;
  const double cosine = std::clamp(x * direction_x_ + y * direction_y_, -1.0, 1.0);
  return 0.5 - std::acos(cosine) / std::numbers::pi;
}

BoxState Observations::state_on_the_way_to(const Observation& now) const {
  assert(!seen_.empty() && now.time > last().time);
  const double gap = now.time - last().time;
  const double steps = std::clamp(std::round(gap), 1.0, longest_gap);
  BoxState state = corrected_;
  for (double step = 1.0; step <= steps; ++step) {
    predict(state, gap / steps);
    correct(state, between(last().box, now.box, step / steps));
  }
  return state;
}

}  // namespace shingle::drone
