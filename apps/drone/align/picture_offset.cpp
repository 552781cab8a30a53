#include "apps/drone/align/picture_offset.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/drone/ground/homography.hpp"
#include "apps/drone/logs/interpolation.hpp"

namespace shingle::drone {
namespace {

constexpr double longest_step = 1.0;  // seconds between two samples
constexpr size_t fewest_steps = 8;

bool moves(const Signal& signal) {
  const auto [least, most] = std::ranges::minmax_element(signal, {}, &SignalSample::value);
  return least != signal.end() && most->value > least->value;
}

// How far the log's motions of the picture's middle are from the pictures' own: the root of the
// mean square, in pixels; a motion that is far off counts as so far. None: too few can be compared.
std::optional<double> mismatch(const Flight& flight, const LocalFrame& frame,
                               std::span<const PictureStep> steps, const ViewOptions& options,
                               double offset) {
  constexpr double most_pixels = 20.0;
  const Eigen::Vector2d middle(options.width / 2.0, options.height / 2.0);
  const auto view_at = [&](double seconds) -> std::optional<LogView> {
    const auto moment = telemetry_at(flight, seconds + offset);
    if (!moment) return std::nullopt;
    const auto view = view_of(*moment, frame, options);
    return view ? std::optional(*view) : std::nullopt;
  };
  double sum = 0.0, count = 0.0;
  for (const PictureStep& step : steps) {
    const auto before = view_at(step.before), now = view_at(step.now);
    const auto motion = before && now ? motion_between(*before, *now) : std::nullopt;
    if (!motion) continue;
    const double away = (mapped(*motion, middle) - mapped(step.motion, middle)).norm();
    sum += std::pow(std::min(away, most_pixels), 2);
    count += 1.0;
  }
  if (count < fewest_steps) return std::nullopt;
  return std::sqrt(sum / count);
}

// A log that has a sample for each picture knows more than its smoothed rates: how the camera
// trembled. The offset within two pictures at which motions agree best, to a hundredth of a
// picture.
FoundOffset sharpened(FoundOffset found, const Flight& flight, std::span<const PictureStep> steps,
                      const ViewOptions& options) {
  constexpr size_t most_steps = 600;
  std::vector<double> lengths;
  std::vector<PictureStep> some;
  for (size_t i = 0; i < steps.size(); i += steps.size() / most_steps + 1) {
    some.push_back(steps[i]);
    lengths.push_back(steps[i].now - steps[i].before);
  }
  std::ranges::nth_element(lengths,
                           lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2));
  const double picture = lengths[lengths.size() / 2];
  const auto frame = local_frame_of(flight);
  if (!frame || flight.samples.size() < fewest_steps) return found;
  const double sample = (flight.samples.back().seconds - flight.samples.front().seconds) /
                        static_cast<double>(flight.samples.size() - 1);
  if (sample > 1.5 * picture) return found;
  double best = found.seconds;
  for (const double step : {0.1 * picture, 0.01 * picture}) {
    const double around = best;
    std::optional<double> least;
    for (int i = -20; i <= 20; ++i) {
      const auto here = mismatch(flight, *frame, some, options, around + i * step);
      if (!here || (least && *here >= *least)) continue;
      least = here;
      best = around + i * step;
    }
  }
  found.seconds = best;
  return found;
}

Signal speed_of(const MotionRates& rates) {
  Signal speed;
  for (size_t i = 0; i < rates.across.size(); ++i)
    speed.push_back(
        {rates.across[i].seconds, std::hypot(rates.across[i].value, rates.along[i].value)});
  return speed;
}

}  // namespace

std::vector<PictureStep> steps_of(const Flight& flight, const ViewOptions& options) {
  std::vector<PictureStep> steps;
  const auto frame = local_frame_of(flight);
  if (!frame) return steps;
  std::optional<LogView> before;
  double before_seconds = 0.0;
  for (const Telemetry& sample : flight.samples) {
    const auto view = view_of(sample, *frame, options);
    if (!view) {
      before.reset();
      continue;
    }
    const double seconds = sample.seconds - before_seconds;
    if (before && seconds > 0.0 && seconds <= longest_step)
      if (const auto motion = motion_between(*before, *view))
        steps.push_back({before_seconds, sample.seconds, *motion});
    before = *view;
    before_seconds = sample.seconds;
  }
  return steps;
}

Result<FoundOffset> offset_by_pictures(const Flight& flight, std::span<const PictureStep> steps,
                                       const ViewOptions& options, const OffsetSearch& search) {
  const MotionRates pictures = rates_of(steps, options.width, options.height);
  const std::vector<PictureStep> log_steps = steps_of(flight, options);
  std::vector<MotionPair> pairs;
  const auto add = [&](const Signal& of_pictures, const Signal& of_log) {
    if (moves(of_pictures) && moves(of_log)) pairs.push_back({of_pictures, of_log});
  };
  if (log_steps.size() >= fewest_steps) {
    const MotionRates log = rates_of(log_steps, options.width, options.height);
    add(pictures.across, log.across);
    add(pictures.along, log.along);
    add(pictures.turn, log.turn);
    const auto found = offset_by_motion(pairs, search);
    return found ? Result(sharpened(*found, flight, steps, options)) : found;
  }
  // The picture turns against the camera.
  Signal against = pictures.turn;
  for (SignalSample& sample : against) sample.value = -sample.value;
  const Signal picture_speed = speed_of(pictures), yaw = yaw_rate_of(flight),
               speed = ground_speed_of(flight);
  add(against, yaw);
  add(picture_speed, speed);
  return offset_by_motion(pairs, search);
}

}  // namespace shingle::drone
