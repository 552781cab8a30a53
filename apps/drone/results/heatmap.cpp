#include <algorithm>
#include <cassert>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "apps/drone/results/drawings.hpp"

namespace shingle::drone {
namespace {

constexpr double cells_along = 1000.0, margin = 20.0, blur_sigma = 4.0;

struct Extent {
  PlanePoint least{}, most{};
  double longer() const { return std::max({most.x - least.x, most.y - least.y, 1e-9}); }
};

Extent extent_of(std::span<const Path> paths) {
  assert(!paths.empty() && !paths.front().points.empty());
  Extent extent{paths.front().points.front().at, paths.front().points.front().at};
  for (const Path& path : paths)
    for (const PathPoint& point : path.points) {
      extent.least = {std::min(extent.least.x, point.at.x), std::min(extent.least.y, point.at.y)};
      extent.most = {std::max(extent.most.x, point.at.x), std::max(extent.most.y, point.at.y)};
    }
  return extent;
}

// The seconds of each step, spread evenly over the cells that it passes.
void add_step(cv::Mat& seconds, PlanePoint from, PlanePoint to, double duration) {
  const auto count = std::max(1, static_cast<int>(std::ceil(length_of(to - from))));
  for (int part = 0; part < count; ++part) {
    const PlanePoint at = from + ((part + 0.5) / count) * (to - from);
    seconds.at<float>(static_cast<int>(at.y), static_cast<int>(at.x)) +=
        static_cast<float>(duration / count);
  }
}

}  // namespace

Result<PngBytes> heatmap_png(std::span<const Path> paths, bool y_points_down) {
  const Extent extent = extent_of(paths);
  const double scale = cells_along / extent.longer();
  const auto size_of = [&](double length) {
    return static_cast<int>(std::ceil(scale * length + 2.0 * margin)) + 1;
  };
  cv::Mat seconds = cv::Mat::zeros(size_of(extent.most.y - extent.least.y),
                                   size_of(extent.most.x - extent.least.x), CV_32F);
  const auto cell_of = [&](PlanePoint point) {
    const double down = y_points_down ? point.y - extent.least.y : extent.most.y - point.y;
    return PlanePoint{margin + scale * (point.x - extent.least.x), margin + scale * down};
  };
  for (const Path& path : paths)
    for (size_t next = 1; next < path.points.size(); ++next) {
      const PathPoint &a = path.points[next - 1], &b = path.points[next];
      if (b.seconds - a.seconds <= longest_step_seconds)
        add_step(seconds, cell_of(a.at), cell_of(b.at), b.seconds - a.seconds);
    }
  cv::GaussianBlur(seconds, seconds, {}, blur_sigma);
  // A thousandth of the most is still seen.
  double most = 0.0;
  cv::minMaxLoc(seconds, nullptr, &most);
  cv::Mat shades, picture;
  cv::log(seconds * (most > 0.0 ? 1000.0 / most : 1.0) + 1.0, shades);
  shades.convertTo(shades, CV_8U, 255.0 / std::log(1001.0));
  cv::applyColorMap(shades, picture, cv::COLORMAP_INFERNO);
  PngBytes bytes;
  if (!cv::imencode(".png", picture, bytes)) return Error{"the heatmap cannot be encoded as PNG"};
  return bytes;
}

}  // namespace shingle::drone
