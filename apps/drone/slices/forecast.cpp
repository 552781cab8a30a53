#include "apps/drone/slices/forecast.hpp"

#include <algorithm>

namespace shingle::drone {
namespace {

constexpr double kept_seconds = 1.0;
constexpr double newest_counts = 0.5;  // the rest is what was known of the velocity before
constexpr double room = 0.25;          // of the longer side

}  // namespace

void Forecast::see(std::span<const VehicleSeen> vehicles, double seconds) {
  for (const VehicleSeen& each : vehicles) {
    const auto [entry, is_new] =
        tracks_.try_emplace(each.track, MovingBox{.box = each.box, .seconds = seconds});
    if (is_new) continue;
    MovingBox& moving = entry->second;
    const double step = seconds - moving.seconds;
    if (step > 0.0) {
      const double x = each.box.x + each.box.w / 2.0 - moving.box.x - moving.box.w / 2.0;
      const double y = each.box.y + each.box.h / 2.0 - moving.box.y - moving.box.h / 2.0;
      const double share = moving.has_velocity ? newest_counts : 1.0;
      moving.velocity_x += share * (x / step - moving.velocity_x);
      moving.velocity_y += share * (y / step - moving.velocity_y);
      moving.has_velocity = true;
    }
    moving.box = each.box;
    moving.seconds = seconds;
  }
  std::erase_if(tracks_,
                [&](const auto& entry) { return seconds - entry.second.seconds > kept_seconds; });
}

std::vector<MovingBox> Forecast::boxes() const {
  std::vector<MovingBox> all;
  for (const auto& [track, moving] : tracks_) all.push_back(moving);
  return all;
}

PixelBox box_at(const MovingBox& moving, double seconds) {
  const double since = seconds - moving.seconds;
  const double more = room * std::max(moving.box.w, moving.box.h);
  return {moving.box.x + moving.velocity_x * since - more,
          moving.box.y + moving.velocity_y * since - more, moving.box.w + 2.0 * more,
          moving.box.h + 2.0 * more};
}

}  // namespace shingle::drone
