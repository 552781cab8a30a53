// A sighting: one track in one frame, with all that is known of it. It is a row of frames.csv.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/drone/boxes/pixel_box.hpp"
#include "apps/drone/count/geometry.hpp"

namespace shingle::drone {

inline constexpr double kmh_per_mps = 3.6;

struct Reading {  // what is not known is empty, never 0
  std::optional<double> value{};
  std::optional<double> half_width{};  // of the 95 % interval
  friend bool operator==(const Reading&, const Reading&) = default;
};

struct GroundReading {
  Reading x_metres{}, y_metres{};                 // local metres: x to the east, y to the north
  std::optional<double> latitude{}, longitude{};  // WGS84, degrees
  Reading speed_mps{};
  Reading heading_degrees{};  // clockwise from north
  Reading length_metres{}, width_metres{};
  friend bool operator==(const GroundReading&, const GroundReading&) = default;
};

struct Sighting {
  uint32_t frame = 1;    // from 1 on
  double seconds = 0.0;  // stream time
  int64_t track = 0;
  int class_id = -1;  // -1: not known
  // 0: nobody looked at its place in this frame. The box is predicted, or between two sightings.
  double score = 0.0;
  PixelBox box{};                   // in this frame's pixels
  std::optional<PlanePoint> key{};  // its centre, in pixels of the key frame
  GroundReading ground{};
  std::optional<PlanePoint> map{};  // x: easting, y: northing in the run's map grid, metres
  bool is_predicted() const { return score == 0.0; }
  friend bool operator==(const Sighting&, const Sighting&) = default;
};

}  // namespace shingle::drone
