// What air, lens and sensor make of what there is.
#pragma once

#include "apps/scene/view.hpp"
#include "apps/scene/world/scene_world.hpp"

namespace shingle {

// `drawn` has twice the view's pixels each way (CV_8UC3). The seed is the noise's.
cv::Mat expose(const cv::Mat& drawn, const SceneView& view, const WorldLight& light, uint64_t seed);

}  // namespace shingle
