// The ground of a scene, painted once: materials with their grain, roads with their markings, car
// parks; and the mask of its roads. A bridge is painted the same way on a map of its own.
#pragma once

#include "apps/scene/scene.hpp"

namespace shingle {

struct GroundMap {
  SceneCamera camera{};  // how the maps lie in the scene
  cv::Mat colour{};      // CV_8UC3
  cv::Mat road{};        // CV_8U, 255 where vehicles drive or park along the kerb
};

// REQUIRES: metres_per_pixel > 0, the scene's ground not empty.
GroundMap paint_ground(const Scene& scene, double metres_per_pixel);

// The surface of a road and its markings, kerb to kerb; also what bridges are drawn with.
struct SurfaceMaps {
  cv::Mat& colour;
  cv::Mat* roughness = nullptr;  // CV_8U, 255 is full grain; may be missing
  cv::Mat* road = nullptr;
};
void paint_road(SurfaceMaps maps, const SceneCamera& camera, const Road& road, uint64_t seed);

}  // namespace shingle
