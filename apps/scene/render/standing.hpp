// All that stands in a world, ready to be drawn in any order.
#pragma once

#include <functional>

#include "apps/scene/render/depth_order.hpp"
#include "apps/scene/vehicle.hpp"
#include "apps/scene/world/scene_world.hpp"

namespace shingle {

// Where everything is drawn: colours, and ids of vehicles (CV_16U, 0 is none).
struct StandingCanvas {
  cv::Mat& image;
  cv::Mat& ids;
  const SceneView& view;
};

struct Standing {
  StandingThing thing;
  std::function<void(StandingCanvas&)> draw;
};

// What the view shows of each kind is appended. Everything given must outlive `all`.
void add_building(std::vector<Standing>& all, const SceneView& view, const Building& building,
                  cv::Point2d to_sun);
void add_tree(std::vector<Standing>& all, const SceneView& view, const Tree& tree, cv::Point2d sun);
void add_lamp(std::vector<Standing>& all, const SceneView& view, const Post& lamp, double light);
void add_footbridge(std::vector<Standing>& all, const SceneView& view, const Footbridge& bridge,
                    const BodyLight& light);
// Its pixels get the id.
void add_vehicle(std::vector<Standing>& all, const SceneView& view, const Vehicle& vehicle,
                 const BodyLight& light, uint16_t id);

}  // namespace shingle
