#include "apps/trace/clock_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shingle {

namespace {

constexpr double most_drift = 1e-3;

// The lower convex hull of the samples: a line that lies below all samples can touch only these.
std::vector<ClockSample> lower_hull(std::vector<ClockSample> samples) {
  std::ranges::sort(samples, {}, [](const ClockSample& sample) {
    return std::pair(sample.at_ns, sample.difference_ns);
  });
  std::vector<ClockSample> hull;
  for (const ClockSample& next : samples) {
    const auto is_above = [&](const ClockSample& a, const ClockSample& b) {
      return (b.difference_ns - a.difference_ns) * (next.at_ns - a.at_ns) >=
             (next.difference_ns - a.difference_ns) * (b.at_ns - a.at_ns);
    };
    while (hull.size() >= 2 && is_above(hull[hull.size() - 2], hull.back())) hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

// The corridor between both hulls.
struct Corridor {
  std::vector<ClockSample> there, back;

  // The highest and the lowest line of that drift, at time 0.
  double top(double drift) const {
    double least = std::numeric_limits<double>::infinity();
    for (const ClockSample& sample : there)
      least = std::min(least, sample.difference_ns - drift * sample.at_ns);
    return least;
  }
  double bottom(double drift) const {
    double most = -std::numeric_limits<double>::infinity();
    for (const ClockSample& sample : back)
      most = std::max(most, -sample.difference_ns - drift * sample.at_ns);
    return most;
  }
  double margin(double drift) const { return (top(drift) - bottom(drift)) / 2.0; }

  // The drift between `from` and `to` at which the margin, a concave function, is largest.
  double widest(double from, double to) const {
    constexpr int steps = 100;
    for (int i = 0; i < steps; ++i) {
      const double third = (to - from) / 3.0;
      if (margin(from + third) < margin(to - third))
        from += third;
      else
        to -= third;
    }
    return (from + to) / 2.0;
  }
  // The last drift, from `good` towards `bad`, whose margin is not negative.
  double last_possible(double good, double bad) const {
    constexpr int steps = 60;
    if (margin(bad) >= 0.0) return bad;
    for (int i = 0; i < steps; ++i) {
      const double middle = (good + bad) / 2.0;
      (margin(middle) >= 0.0 ? good : bad) = middle;
    }
    return good;
  }
};

// The largest distance of the line from any line in the corridor, at both ends of the samples.
double error_of(const Corridor& corridor, const ClockLine& line, double from, double to) {
  const double lowest = corridor.last_possible(line.drift, -most_drift);
  const double highest = corridor.last_possible(line.drift, most_drift);
  constexpr int steps = 64;
  double most = 0.0;
  for (int i = 0; i <= steps; ++i) {
    const double drift = lowest + (highest - lowest) * i / steps;
    for (const double at : {from, to})
      for (const double start : {corridor.top(drift), corridor.bottom(drift)})
        most = std::max(most, std::abs(start + drift * at - line.offset_ns - line.drift * at));
  }
  return most;
}

}  // namespace

std::optional<ClockLine> fit_clocks(std::vector<ClockSample> there, std::vector<ClockSample> back) {
  if (there.empty() || back.empty()) return {};
  const Corridor corridor{lower_hull(std::move(there)), lower_hull(std::move(back))};
  ClockLine line{.drift = corridor.widest(-most_drift, most_drift)};
  line.margin_ns = corridor.margin(line.drift);
  if (line.margin_ns < 0.0) return {};
  // A drift that the messages do not show is none.
  if (constexpr double as_good = 0.9; corridor.margin(0.0) >= as_good * line.margin_ns)
    line.drift = 0.0, line.margin_ns = corridor.margin(0.0);
  line.offset_ns = (corridor.top(line.drift) + corridor.bottom(line.drift)) / 2.0;
  const double from = std::min(corridor.there.front().at_ns, corridor.back.front().at_ns);
  const double to = std::max(corridor.there.back().at_ns, corridor.back.back().at_ns);
  line.error_ns = error_of(corridor, line, from, to);
  return line;
}

}  // namespace shingle
