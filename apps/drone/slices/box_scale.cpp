#include "apps/drone/slices/box_scale.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace shingle::drone {
namespace {

constexpr size_t kept_sides = 300, least_sides = 3;
constexpr double forget_seconds = 3.0;
constexpr double alike =
    2.0;  // sides that may be of one kind of vehicle: upright and turned, near and far

// Of sides in rising order, those within a factor of `alike` that are most; the shorter ones of two
// such ranges.
std::span<const double> most_frequent(std::span<const double> sorted) {
  std::span<const double> most;
  size_t end = 0;
  for (size_t begin = 0; begin < sorted.size(); ++begin) {
    while (end < sorted.size() && sorted[end] <= sorted[begin] * alike) ++end;
    if (end - begin > most.size()) most = sorted.subspan(begin, end - begin);
  }
  return most;
}

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
  std::ranges::sort(sorted);
  const std::span<const double> cars = most_frequent(sorted);
  return usual_longer_side_metres / cars[cars.size() / 2];
}

}  // namespace shingle::drone
