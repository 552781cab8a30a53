// The ground scale of a picture by the boxes that were found in it.
//
// The longer side of an upright box around a vehicle of 4.5 m by 1.8 m is 4.4 to 4.9 m, however the
// vehicle is turned. Most vehicles are cars, so the longer sides that are most frequent, within a
// factor of two, are a car's. Their median is the car's length. Trucks, parts of vehicles and false
// boxes have other sides and do not shift it.
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

inline constexpr double usual_longer_side_metres = 4.6;

class BoxScale {
 public:
  // Boxes of whole vehicles in a picture of that time. REQUIRES: times do not go back.
  void see(std::span<const PixelBox> vehicles, double seconds);

  // Metres of the ground that one pixel of the picture shows. None: fewer than three vehicles were
  // seen, or none for the last three seconds.
  std::optional<double> metres_per_pixel() const;

 private:
  std::deque<double> sides_{};  // pixels; the newest last
  double last_seconds_ = 0.0;   // that a vehicle was seen
};

}  // namespace shingle::drone
