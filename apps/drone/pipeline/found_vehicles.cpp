#include "apps/drone/pipeline/found_vehicles.hpp"

#include <algorithm>
#include <cmath>

namespace shingle::drone {
namespace {

// The upright box around a turned one.
Box around(const TurnedBox& turned) {
  const float cosine = std::abs(std::cos(turned.angle)), sine = std::abs(std::sin(turned.angle));
  const float width = turned.w * cosine + turned.h * sine;
  const float height = turned.w * sine + turned.h * cosine;
  return {turned.x - width / 2.0F, turned.y - height / 2.0F, width, height};
}

}  // namespace

std::optional<Detections> boxes_in(const Finding& finding) {
  if (const auto* found = std::get_if<Detections>(&finding)) return *found;
  Detections boxes;
  if (const auto* instances = std::get_if<Instances>(&finding)) {
    for (const Instance& each : *instances) boxes.push_back(each.detection);
  } else if (const auto* poses = std::get_if<BodyPoses>(&finding)) {
    for (const BodyPose& each : *poses) boxes.push_back(each.detection);
  } else if (const auto* turned = std::get_if<TurnedBoxes>(&finding)) {
    for (const TurnedBox& each : *turned)
      boxes.push_back({each.class_id, each.score, around(each)});
  } else {
    return std::nullopt;
  }
  return boxes;
}

Result<std::vector<DetectedBox>> vehicles_in(const Finding& finding,
                                             const VehicleClasses& classes) {
  const auto boxes = boxes_in(finding);
  if (!boxes) return bad_input("the model finds no boxes; vehicles need a detector");
  std::vector<DetectedBox> vehicles;
  for (const auto& [class_id, score, box] : *boxes)
    if (classes.contains(class_id) && box.w > 0.0F && box.h > 0.0F)
      vehicles.push_back(
          {.box = {box.x, box.y, box.w, box.h}, .score = score, .class_id = class_id});
  return vehicles;
}

}  // namespace shingle::drone
