#include "apps/drone/logs/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

using Samples = std::vector<Telemetry>;

std::string rounded(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

// The nearest samples that have a value; null: none within `limits`.
struct Neighbours {
  const Telemetry* before = nullptr;
  const Telemetry* after = nullptr;
};

// `next` is the first sample behind `seconds`.
template <class HasValue>
Neighbours neighbours_of(const Samples& samples, Samples::const_iterator next, double seconds,
                         double reach, HasValue has_value) {
  Neighbours found;
  for (auto at = next; at != samples.begin() && !found.before;) {
    --at;
    if (seconds - at->seconds > reach) break;
    if (has_value(*at)) found.before = &*at;
  }
  for (auto at = next; at != samples.end() && !found.after; ++at) {
    if (at->seconds - seconds > reach) break;
    if (has_value(*at)) found.after = &*at;
  }
  return found;
}

std::optional<double> between(const Neighbours& near, double seconds, bool is_direction,
                              const InterpolationLimits& limits,
                              std::optional<double> Telemetry::*value) {
  if (near.before && near.after &&
      near.after->seconds - near.before->seconds <= limits.longest_gap_seconds) {
    const double share =
        (seconds - near.before->seconds) / (near.after->seconds - near.before->seconds);
    const double from = *(near.before->*value), to = *(near.after->*value);
    return is_direction ? direction_between(from, to, share) : from + share * (to - from);
  }
  const double hold = limits.longest_hold_seconds;
  const bool before_holds = near.before && seconds - near.before->seconds <= hold;
  const bool after_holds = near.after && near.after->seconds - seconds <= hold;
  if (before_holds && after_holds)  // beside a gap: the nearer one
    return seconds - near.before->seconds <= near.after->seconds - seconds ? near.before->*value
                                                                           : near.after->*value;
  if (before_holds) return near.before->*value;
  return after_holds ? near.after->*value : std::nullopt;
}

}  // namespace

double direction_between(double from, double to, double share) {
  const double way = std::remainder(to - from, 360.0);
  const double direction = std::remainder(from + share * way, 360.0);
  if (direction <= -180.0) return direction + 360.0;
  return direction < 0.0 && from >= 0.0 && to >= 0.0 ? direction + 360.0 : direction;
}

Result<Telemetry> telemetry_at(const Flight& flight, double seconds,
                               const InterpolationLimits& limits) {
  const Samples& samples = flight.samples;
  const double hold = limits.longest_hold_seconds;
  const double end = std::max(flight.end_seconds, samples.empty() ? 0.0 : samples.back().seconds);
  if (samples.empty() || seconds < samples.front().seconds - hold || seconds > end + hold)
    return bad_input(in_quotes(flight.name) + " has no telemetry at " + rounded(seconds) +
                     " s; it goes from " +
                     rounded(samples.empty() ? 0.0 : samples.front().seconds) + " to " +
                     rounded(end) + " s: check the offset to the video");
  const auto next =
      std::upper_bound(samples.begin(), samples.end(), seconds,
                       [](double time, const Telemetry& sample) { return time < sample.seconds; });
  const double reach = std::max(limits.longest_gap_seconds, hold);
  Telemetry result{.seconds = seconds};
  if (next != samples.begin()) result.line = std::prev(next)->line;
  // The last cue of a subtitle file holds to its own end.
  const double clamped = std::min(seconds, samples.back().seconds + std::max(0.0, seconds - end));
  const auto find = [&](std::optional<double> Telemetry::*value, bool is_direction) {
    const auto has_value = [&](const Telemetry& sample) { return (sample.*value).has_value(); };
    return between(neighbours_of(samples, next, clamped, reach, has_value), clamped, is_direction,
                   limits, value);
  };
  for (const TelemetryField& field : telemetry_fields())
    result.*field.value = find(field.value, field.is_direction);
  if (next != samples.begin() && next != samples.end())
    result.clock = find(&Telemetry::clock, false);
  else if (const Telemetry& end_sample = next == samples.begin() ? samples.front() : samples.back();
           end_sample.clock)
    result.clock = *end_sample.clock + seconds - end_sample.seconds;  // clocks do not stand still
  return result;
}

}  // namespace shingle::drone
