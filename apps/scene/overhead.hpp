// What stands above the ground and hides vehicles: bridges, buildings, trees, lamps; and the
// shadows of all of these.
#pragma once

#include "apps/scene/scene.hpp"

namespace shingle {

// Both draw into `hidden` (CV_16U, ids of vehicles) what they cover as 0; it may be empty.
void draw_tree(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera, const Tree& tree,
               cv::Point2d sun);
void draw_building(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera,
                   const Building& building);
void draw_bridge(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera, const Road& road,
                 uint64_t seed);
void draw_post(cv::Mat& image, const SceneCamera& camera, const Post& post);

// Light left on the ground (CV_8U, 255 is full) by everything tall.
cv::Mat tall_shadows(const Scene& scene, const SceneCamera& camera);

}  // namespace shingle
