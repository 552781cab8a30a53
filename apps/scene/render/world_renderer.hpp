// WorldRenderer: pictures of a world from any camera that looks down, with the exact truth about
// them. Drawn with twice the pixels each way and averaged, so that edges look as a lens shows them.
//
//   1. the ground, from pieces that are painted once at the scale at which they are seen
//   2. the shadows of vehicles (at night the light before them) on it
//   3. all that stands, far to near (depth_order.hpp)
//   4. air, lens and sensor
#pragma once

#include <map>

#include "apps/scene/frame.hpp"
#include "apps/scene/render/ground_painter.hpp"

namespace shingle {

struct SeenVehicle {
  size_t index = 0;      // of the vehicles given
  Box box;               // its silhouette, hidden parts too, cut at the picture's border
  double visible = 0.0;  // share of the silhouette that is in the picture and not hidden
};

struct WorldPicture {
  cv::Mat picture;                    // CV_8UC3
  cv::Mat road;                       // CV_8U, 255 on roads (seen or hidden), 0 elsewhere
  std::vector<SeenVehicle> vehicles;  // those whose silhouette meets the picture
};

class WorldRenderer {
 public:
  // REQUIRES: `world` outlives the renderer.
  explicit WorldRenderer(const SceneWorld& world);

  // The frame's number seeds the sensor's noise. REQUIRES: every pixel of the view shows ground.
  WorldPicture render(const SceneView& view, const std::vector<Vehicle>& vehicles, uint32_t frame);

 private:
  const PaintedGround& piece_for(int level, const cv::Rect2d& seen);
  void draw_ground(const SceneView& view, cv::Mat& colour, cv::Mat* road);

  const SceneWorld& world_;
  GroundPainter painter_;
  std::map<int, PaintedGround> pieces_{};  // by the power of two of their scale
  std::vector<Building> buildings_{};      // in the light of the place
  std::vector<Tree> trees_{};
};

}  // namespace shingle
