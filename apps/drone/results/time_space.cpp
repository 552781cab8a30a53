#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "apps/drone/results/drawings.hpp"
#include "partition/base/dice.hpp"

namespace shingle::drone {
namespace {

constexpr int plot_width = 1200, plot_height = 700, left = 90, top = 20, bottom = 60, right = 20;
constexpr int most_time_ticks = 12;
constexpr int fraction_bits = 4;  // of coordinates, so that lines are smooth

// 1, 2 or 5 times a power of ten, so that there are at most `most` of them.
double tick_step(double length, int most) {
  const double least = length / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10.0 * power;
}

// With as many decimals as neighbouring ticks differ in.
std::string tick_text(double value, double step, const std::string& unit) {
  std::array<char, 64> text{};
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step))), 0, 6);
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit.c_str());
  return text.data();
}

// A track has the same colour in each picture; colours are dark enough for white paper.
cv::Scalar colour_of(int64_t track) {
  const uint64_t bits = mixed_bits(static_cast<uint64_t>(track) + 1);
  return {static_cast<double>(bits % 180), static_cast<double>((bits >> 16) % 180),
          static_cast<double>((bits >> 32) % 180)};
}

struct Plot {
  cv::Mat picture;
  double begin_seconds = 0.0, seconds = 1.0, length = 1.0;

  cv::Point2d place(PlanePoint point) const {
    return {left + plot_width * (point.x - begin_seconds) / seconds,
            top + plot_height * (1.0 - point.y / length)};
  }
};

void draw_axes(Plot& plot, const std::string& unit) {
  const cv::Scalar grey(200, 200, 200), black(0, 0, 0);
  const auto write = [&](const std::string& text, cv::Point at) {
    cv::putText(plot.picture, text, at, cv::FONT_HERSHEY_SIMPLEX, 0.45, black, 1, cv::LINE_AA);
  };
  const double step = tick_step(plot.seconds, most_time_ticks);
  const double end_seconds = plot.begin_seconds + plot.seconds;
  const double first = std::ceil(plot.begin_seconds / step) * step;
  for (int index = 0; index <= most_time_ticks; ++index) {
    const double seconds = first + index * step;
    if (seconds > end_seconds) break;
    const auto x = static_cast<int>(plot.place({seconds, 0.0}).x);
    cv::line(plot.picture, {x, top}, {x, top + plot_height}, grey);
    write(tick_text(seconds, step, "s"), {x - 12, top + plot_height + 20});
  }
  const double rise = tick_step(plot.length, 8);
  for (double index = 0.0; index * rise <= plot.length; ++index) {
    const auto y = static_cast<int>(plot.place({plot.begin_seconds, index * rise}).y);
    cv::line(plot.picture, {left, y}, {left + plot_width, y}, grey);
    write(tick_text(index * rise, rise, unit), {8, y + 4});
  }
  cv::rectangle(plot.picture, {left, top}, {left + plot_width, top + plot_height}, black);
}

void draw_line(Plot& plot, const TimeSpaceLine& line) {
  const auto fixed = [&](PlanePoint point) {
    const cv::Point2d at = (1 << fraction_bits) * plot.place(point);
    return cv::Point(static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)));
  };
  for (size_t next = 1; next < line.points.size(); ++next) {
    if (line.points[next].x - line.points[next - 1].x > longest_step_seconds) continue;
    cv::line(plot.picture, fixed(line.points[next - 1]), fixed(line.points[next]),
             colour_of(line.track), 2, cv::LINE_AA, fraction_bits);
  }
}

}  // namespace

TimeSpace time_space(std::span<const Path> paths, const Lane& lane) {
  const PlanePoint whole = lane.direction.end - lane.direction.begin;
  assert(length_of(whole) > 0.0 && !lane.corners.empty());
  const PlanePoint along = (1.0 / length_of(whole)) * whole;
  const auto [begin, end] = std::minmax_element(
      lane.corners.begin(), lane.corners.end(),
      [&](PlanePoint a, PlanePoint b) { return dot(a, along) < dot(b, along); });
  TimeSpace diagram{.length = dot(*end - *begin, along)};
  for (const Path& path : paths) {
    TimeSpaceLine line{.track = path.track};
    for (const PathPoint& point : path.points)
      if (contains(lane.corners, point.at))
        line.points.push_back({point.seconds, dot(point.at - *begin, along)});
    if (!line.points.empty()) diagram.lines.push_back(std::move(line));
  }
  return diagram;
}

Result<PngBytes> time_space_png(const TimeSpace& diagram, const std::string& unit) {
  assert(!diagram.lines.empty() && diagram.length > 0.0);
  double first = diagram.lines.front().points.front().x, last = first;
  for (const TimeSpaceLine& line : diagram.lines) {
    first = std::min(first, line.points.front().x);
    last = std::max(last, line.points.back().x);
  }
  Plot plot{.picture = cv::Mat(top + plot_height + bottom, left + plot_width + right, CV_8UC3,
                               cv::Scalar(255, 255, 255)),
            .begin_seconds = first,
            .seconds = std::max(last - first, 1e-3),
            .length = diagram.length};
  draw_axes(plot, unit);
  for (const TimeSpaceLine& line : diagram.lines) draw_line(plot, line);
  PngBytes bytes;
  if (!cv::imencode(".png", plot.picture, bytes))
    return Error{"the time-space diagram cannot be encoded as PNG"};
  return bytes;
}

}  // namespace shingle::drone
