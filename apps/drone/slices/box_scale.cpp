#include "apps/drone/slices/box_scale.hpp"

#include <algorithm>
#include <vector>

namespace shingle::drone {
namespace {

constexpr size_t kept_sides = 300, least_sides = 3;
constexpr double forget_seconds = 3.0;

}  // namespace

void BoxScale::see(std::span<const PixelBox> vehicles, double seconds) {
  for (const PixelBox& box : vehicles) {
    const double side = std::max(box.w, box.h);
    if (side > 0.0) sides_.push_back(side);
  }
  while (sides_.size() > std::max(kept_sides, vehicles.size())) sides_.pop_front();
  if (!vehicles.empty()) last_seconds_ = seconds;
  if (seconds - last_seconds_ > forget_seconds) sides_.clear();
}

std::optional<double> BoxScale::metres_per_pixel() const {
  if (sides_.size() < least_sides) return std::nullopt;
  std::vector<double> sorted(sides_.begin(), sides_.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return usual_longer_side_metres / *middle;
}

}  // namespace shingle::drone
