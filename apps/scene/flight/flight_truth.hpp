// The truth about one frame of a flight, as lines of text.
#pragma once

#include <string>

#include "apps/scene/flight/flight_logs.hpp"
#include "apps/scene/frame.hpp"
#include "apps/scene/render/world_renderer.hpp"

namespace shingle {

// Vehicles that show less than half of themselves, or boxes whose longer side has fewer pixels, are
// no fair task for a detector.
inline constexpr double least_visible = 0.5;
inline constexpr double least_pixels = 12.0;

class FlightTruth {
 public:
  // REQUIRES: both outlive the truth.
  FlightTruth(const SceneFlight& flight, const WorldPlace& place);

  void add(uint32_t frame, const std::vector<Vehicle>& vehicles,
           const std::vector<SeenVehicle>& seen);

  // MOTChallenge's ground truth: frame (from 1), id, box, 1 or 0 (not to be counted), class (1 car,
  // 2 van, 3 truck, 4 bus), visible share.
  const std::string& mot() const { return mot_; }
  // Boxes of those that are not to be counted, as regions for `shingle-drone eval --ignore`.
  const std::string& ignored() const { return ignored_; }
  const std::string& ground() const { return ground_; }  // with its header
  const std::string& camera() const { return camera_; }
  // What `shingle score` reads; x is east, y north, the heading is from east towards north.
  const std::string& scored() const { return scored_; }

 private:
  const SceneFlight& flight_;
  const WorldPlace& place_;
  drone::LocalFrame earth_;
  std::string mot_, ignored_, ground_, camera_, scored_;
};

}  // namespace shingle
