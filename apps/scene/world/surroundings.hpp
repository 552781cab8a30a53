// What is put beside roads: houses, trees, lamps, fields, parked cars.
#pragma once

#include "apps/scene/world/scene_world.hpp"

namespace shingle {

// Keeps things off the roads and off each other.
class FreeGround {
 public:
  explicit FreeGround(const RoadNetwork& network);

  // Whether a disc touches no road and nothing that was taken.
  bool is_free(cv::Point2d at, double radius) const;
  double to_road(cv::Point2d at) const;  // metres to the nearest edge; below 0 on it
  void take(cv::Point2d at, double radius) { taken_.push_back({at, radius}); }

 private:
  struct Disc {
    cv::Point2d at;
    double radius = 0.0;
  };
  std::vector<cv::Point2d> axes_;  // a point every two metres
  double half_width_ = 0.0;
  std::vector<Disc> taken_;
};

struct RowOptions {
  double set_back = 3.0;  // metres from the road's edge to the house
  double spacing = 20.0, chance = 0.8;
  double length_low = 10, length_high = 16, width_low = 8, width_high = 11;
};
void build_rows(SceneWorld& world, FreeGround& ground, const RowOptions& options, double reach,
                SceneDice& dice);

// Trees beside the roads, `beyond` metres from their edges, and anywhere.
void plant_rows(SceneWorld& world, FreeGround& ground, double beyond, double spacing, double reach,
                SceneDice& dice);
void plant_anywhere(SceneWorld& world, FreeGround& ground, int count, double reach,
                    SceneDice& dice);
// A wood of at most this radius.
void plant_wood(SceneWorld& world, FreeGround& ground, cv::Point2d middle, double most_radius,
                SceneDice& dice);

cv::Point2d somewhere(double reach, SceneDice& dice);

void put_street_lamps(SceneWorld& world, double spacing, double reach, SceneDice& dice);
void lay_fields(SceneWorld& world, double reach, SceneDice& dice);
void park_at_kerbs(SceneWorld& world, double share, double reach, SceneDice& dice);

}  // namespace shingle
