// Boxes of vehicles in what a detector found: upright boxes of detections, instances and poses, and
// those around turned boxes.
#pragma once

#include <optional>
#include <vector>

#include "apps/drone/pipeline/vehicle_classes.hpp"
#include "apps/drone/track/track.hpp"
#include "apps/findings/finding.hpp"

namespace shingle::drone {

// Best first, of all classes. None: the finding has no boxes (a class map, text, ..).
std::optional<Detections> boxes_in(const Finding& finding);

// Error: the finding has no boxes.
Result<std::vector<DetectedBox>> vehicles_in(const Finding& finding, const VehicleClasses& classes);

}  // namespace shingle::drone
