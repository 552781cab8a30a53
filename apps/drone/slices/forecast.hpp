// Where vehicles that were followed should be in a later picture: straight on, as fast in pixels as
// they were last. The camera's own motion is part of that.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

struct VehicleSeen {
  int64_t track = 0;
  PixelBox box{};
};

struct MovingBox {
  PixelBox box{};
  double velocity_x = 0.0, velocity_y = 0.0;  // pixels per second
  double seconds = 0.0;                       // when it was there
  bool has_velocity = false;                  // it was seen twice
};

class Forecast {
 public:
  // REQUIRES: times grow.
  void see(std::span<const VehicleSeen> vehicles, double seconds);
  // Tracks that were seen within the last second, in the order of their numbers.
  std::vector<MovingBox> boxes() const;

 private:
  std::map<int64_t, MovingBox> tracks_{};
};

// Wider by a quarter of its longer side each way than the box itself.
PixelBox box_at(const MovingBox& moving, double seconds);

}  // namespace shingle::drone
