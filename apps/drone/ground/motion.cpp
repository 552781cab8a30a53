#include "apps/drone/ground/motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "apps/drone/ground/rts_smoother.hpp"

namespace shingle::drone {
namespace {

constexpr double most_log_ratio = 14.0;  // an answer that is e^14 less likely does not count

// One moment under all noises together.
struct Mixture {
  Eigen::Vector2d position, velocity, acceleration;
  Eigen::Matrix2d position_covariance, velocity_covariance, acceleration_covariance;
};

// The jitter of positions by third differences, which a smooth track hardly has: the squares of
// white noise's add up to 1 + 9 + 9 + 1. The median resists a lost and found box.
double rough_jitter(std::span<const GroundObservation> track) {
  std::vector<double> squares;
  for (size_t i = 3; i < track.size(); ++i)
    squares.push_back((track[i].position - 3.0 * track[i - 1].position +
                       3.0 * track[i - 2].position - track[i - 3].position)
                          .squaredNorm());
  if (squares.empty()) return 0.2;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  // The median of the squared length of a normal 2-vector is 2 ln 2 variances.
  return std::max(std::sqrt(*middle / 20.0 / (2.0 * std::numbers::ln2)), 0.002);
}

// White jerk of a driver: over a second acceleration changes by its root, usually by 0.7 m/s^2.
// Two sigmas reach from a vehicle that keeps its speed to a sharp turn, 3 m/s^2. How far boxes
// wander is anybody's guess.
double log_prior(const MotionNoise& noise, double jitter) {
  const double jerk = std::log(noise.jerk / 0.5) / 1.5,
               position = std::log(noise.position_m / jitter) / 0.7;
  return -0.5 * (jerk * jerk + position * position);
}

// What boxes and drivers may be like; the answers between them are mixtures. The wander is told in
// jitters: one that lasts less than 0.15 s is as good as jitter, one that lasts for seconds as good
// as an offset. A finer grid costs more and says the same (decision 85).
std::vector<MotionNoise> possible_noises(double jitter) {
  std::vector<MotionNoise> all;
  for (const double share : {0.5, 1.0})
    for (const double jerk : {0.01, 0.15, 2.0, 25.0}) {
      MotionNoise noise{.position_m = share * jitter, .jerk = jerk};
      all.push_back(noise);
      for (const double wander : {1.5, 6.0})
        for (const double seconds : {0.15, 0.45}) {
          noise.wander_m = wander * jitter;
          noise.wander_seconds = seconds;
          all.push_back(noise);
        }
    }
  return all;
}

struct Answer {
  FilteredTrack track;
  double weight = 0.0;
};

// Those that count, with weights that add up to 1.
std::vector<Answer> answers(std::span<const GroundObservation> track) {
  const double jitter = rough_jitter(track);
  std::vector<Answer> all;
  double best = -1e300;
  for (const MotionNoise& noise : possible_noises(jitter)) {
    auto answer = filtered(track, noise);
    const double weight = answer.log_likelihood + log_prior(noise, jitter);
    best = std::max(best, weight);
    all.push_back({std::move(answer), weight});
  }
  std::erase_if(all, [&](const Answer& answer) { return answer.weight < best - most_log_ratio; });
  double total = 0.0;
  for (Answer& answer : all) total += answer.weight = std::exp(answer.weight - best);
  for (Answer& answer : all) answer.weight /= total;
  return all;
}

// The state of one moment under one noise.
struct Opinion {
  AxesState state;
  double weight = 0.0;
};

Mixture mixed(const std::vector<Opinion>& opinions) {
  AxesMeans mean = AxesMeans::Zero();
  for (const Opinion& opinion : opinions) mean += opinion.weight * opinion.state.mean;
  std::array<Eigen::Matrix2d, 3> covariances;
  for (int row = 0; row < 3; ++row) {
    Eigen::Matrix2d sum = Eigen::Matrix2d::Zero();
    for (const auto& [state, weight] : opinions) {
      const Eigen::RowVector2d miss = state.mean.row(row) - mean.row(row);
      sum += weight *
             (state.covariance(row, row) * Eigen::Matrix2d::Identity() + miss.transpose() * miss);
    }
    covariances[static_cast<size_t>(row)] = sum;
  }
  return {mean.row(0), mean.row(1), mean.row(2), covariances[0], covariances[1], covariances[2]};
}

Estimate along(const Eigen::Vector2d& direction, double value, const Eigen::Matrix2d& covariance) {
  return {value, sigmas_of_95 * std::sqrt(direction.dot(covariance * direction))};
}

void add_speed(GroundMotion& motion, const Mixture& moment,
               const Eigen::Matrix2d& velocity_covariance) {
  const double speed = moment.velocity.norm();
  const Eigen::Vector2d forward =
      speed > 0.0 ? Eigen::Vector2d(moment.velocity / speed) : Eigen::Vector2d(0.0, 1.0);
  const Eigen::Vector2d sideways(forward.y(), -forward.x());  // to the right
  motion.speed = along(forward, speed, velocity_covariance);
  motion.acceleration =
      along(forward, moment.acceleration.dot(forward), moment.acceleration_covariance);
  const double across = sigmas_of_95 * std::sqrt(sideways.dot(velocity_covariance * sideways));
  // A vehicle that may stand, or whose heading may be anything within 45 degrees either way, has
  // none.
  if (speed <= motion.speed->half_width || across >= speed) return;
  const double heading = std::atan2(moment.velocity.x(), moment.velocity.y());
  motion.heading = Estimate{heading < 0.0 ? heading + 2.0 * std::numbers::pi : heading,
                            std::atan(across / speed)};
}

Status check(std::span<const GroundObservation> track) {
  for (size_t i = 0; i < track.size(); ++i) {
    if (!track[i].position.allFinite() || !std::isfinite(track[i].seconds))
      return bad_input("observation " + std::to_string(i) + " of a track is no number");
    if (i > 0 && !(track[i].seconds > track[i - 1].seconds))
      return bad_input("observation " + std::to_string(i) +
                       " of a track is not later than the one before");
  }
  return success();
}

// What is told of observation `i` of the track.
GroundMotion told(std::span<const GroundObservation> track, size_t i, const Mixture& moment,
                  const SystematicAt& systematic) {
  SystematicCovariance fixed;
  if (systematic) fixed = systematic(i, moment.position, moment.velocity);
  const Eigen::Matrix2d position = moment.position_covariance + fixed.position;
  GroundMotion motion{.seconds = track[i].seconds,
                      .east = along({1.0, 0.0}, moment.position.x(), position),
                      .north = along({0.0, 1.0}, moment.position.y(), position)};
  if (track.size() >= fewest_for_speed)
    add_speed(motion, moment, moment.velocity_covariance + fixed.velocity);
  return motion;
}

}  // namespace

Result<std::vector<GroundMotion>> ground_motion(std::span<const GroundObservation> track,
                                                const SystematicAt& systematic) {
  if (auto checked = check(track); !checked) return checked.failure();
  std::vector<GroundMotion> motions;
  if (track.empty()) return motions;
  const auto all = answers(track);
  std::vector<std::vector<Opinion>> opinions(track.size());
  for (const Answer& answer : all) {
    const auto states = smoothed(answer.track);
    for (size_t i = 0; i < states.size(); ++i) opinions[i].push_back({states[i], answer.weight});
  }
  for (size_t i = 0; i < track.size(); ++i)
    motions.push_back(told(track, i, mixed(opinions[i]), systematic));
  return motions;
}

Result<GroundMotion> latest_ground_motion(std::span<const GroundObservation> track,
                                          const SystematicAt& systematic) {
  if (track.empty()) return bad_input("a track without observations has no motion");
  if (auto checked = check(track); !checked) return checked.failure();
  std::vector<Opinion> opinions;
  for (const Answer& answer : answers(track))
    opinions.push_back({answer.track.steps.back().corrected, answer.weight});
  return told(track, track.size() - 1, mixed(opinions), systematic);
}

}  // namespace shingle::drone
