// SceneRenderer: pictures of a scene with the exact truth about them. Drawn with twice the pixels
// each way and averaged, so that edges look as a lens shows them.
#pragma once

#include "apps/scene/ground.hpp"

namespace shingle {

struct VehicleTruth {
  uint32_t id = 0;
  VehicleClass vehicle_class = VehicleClass::car;
  Box box;               // its silhouette, hidden parts too, cut at the picture's border
  double visible = 1.0;  // share of the silhouette that is in the picture and not hidden
  double speed = 0.0;    // metres per second
  Pose pose;             // in the scene
};

struct SceneFrame {
  cv::Mat picture;  // CV_8UC3
  cv::Mat road;     // CV_8U, 255 on roads (seen or hidden), 0 elsewhere
  SceneCamera camera;
  std::vector<VehicleTruth> vehicles;  // those whose silhouette meets the picture
};

class SceneRenderer {
 public:
  explicit SceneRenderer(const Scene& scene);  // paints the ground once

  // `scene` is the one of the constructor at this frame: only its traffic may have changed.
  SceneFrame render(const Scene& scene, uint32_t frame) const;

 private:
  GroundMap ground_;
};

}  // namespace shingle
