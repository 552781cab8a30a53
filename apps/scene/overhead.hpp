// What stands above the ground and hides vehicles: bridges, buildings, trees, lamps; and the
// shadows of all of these.
#pragma once

#include "apps/scene/scene.hpp"

namespace shingle {

// Both draw into `hidden` (CV_16U, ids of vehicles) what they cover as 0; it may be empty.
void draw_tree(cv::Mat& image, cv::Mat& hidden, const SceneView& view, const Tree& tree,
               cv::Point2d sun);
void draw_building(cv::Mat& image, cv::Mat& hidden, const SceneView& view, const Building& building,
                   cv::Point2d to_sun = {});
void draw_bridge(cv::Mat& image, cv::Mat& hidden, const SceneCamera& camera, const Road& road,
                 uint64_t seed);
void draw_post(cv::Mat& image, const SceneView& view, const Post& post);

// The shadow of a tree on the ground, into a map of light (CV_8U, 255 is full).
void shade_tree(cv::Mat& light, const SceneView& view, const Tree& tree, cv::Point2d sun,
                double shade);

// Light left on the ground (CV_8U, 255 is full) by everything tall.
cv::Mat tall_shadows(const Scene& scene, const SceneCamera& camera);

}  // namespace shingle
