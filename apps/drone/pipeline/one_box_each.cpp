#include "apps/drone/pipeline/one_box_each.hpp"

#include <algorithm>

namespace shingle::drone {
namespace {

struct Vehicle {
  DetectedBox best{};
  std::vector<int> classes{};  // whose scores it has
};

void best_first(std::vector<DetectedBox>& boxes) {
  std::ranges::stable_sort(boxes, std::ranges::greater{}, &DetectedBox::score);
}

void add(Vehicle& vehicle, const DetectedBox& other) {
  if (std::ranges::find(vehicle.classes, other.class_id) != vehicle.classes.end()) return;
  vehicle.classes.push_back(other.class_id);
  vehicle.best.score = 1.0 - (1.0 - vehicle.best.score) * (1.0 - other.score);
}

}  // namespace

std::vector<DetectedBox> one_box_each(std::vector<DetectedBox> found, double max_overlap) {
  best_first(found);
  std::vector<Vehicle> vehicles;
  for (const DetectedBox& each : found) {
    const auto overlap_with = [&](const Vehicle& other) {
      return other.best.class_id == each.class_id ? 0.0 : overlap(other.best.box, each.box);
    };
    const auto nearest = std::ranges::max_element(vehicles, {}, overlap_with);
    if (nearest == vehicles.end() || overlap_with(*nearest) <= max_overlap)
      vehicles.push_back({each, {each.class_id}});
    else
      add(*nearest, each);
  }
  std::vector<DetectedBox> result;
  for (const Vehicle& each : vehicles) result.push_back(each.best);
  best_first(result);
  return result;
}

}  // namespace shingle::drone
