// GroundPainter: pieces of a world's ground, seen straight from above. Pieces that overlap or have
// another scale show the same: grain comes from a lattice in metres, not from the piece.
#pragma once

#include <vector>

#include "apps/scene/world/scene_world.hpp"

namespace shingle {

// Texels of `metres` each way; the first one's corner is (west, north).
struct GroundPiece {
  double west = 0.0, north = 0.0, metres = 0.1;
  cv::Size size{};
};
SceneView view_of(const GroundPiece& piece);

struct PaintedGround {
  GroundPiece piece;
  cv::Mat colour{};  // CV_8UC4: blue, green, red, and the light that falls there (255 is full)
  cv::Mat road{};    // CV_8U, 255 where there is road
};

class GroundPainter {
 public:
  // REQUIRES: `world` outlives the painter.
  explicit GroundPainter(const SceneWorld& world) : world_(world) {}

  PaintedGround paint(const GroundPiece& piece) const;
  // Light at a place without vehicles, of 1: what bodies there are lit by.
  double light_at(cv::Point2d at) const;

 private:
  void paint_strip(const GroundPiece& piece, cv::Mat colour, cv::Mat road) const;
  cv::Mat base_colour(const GroundPiece& piece) const;
  void paint_roads(const SceneView& view, cv::Mat& colour, cv::Mat& roughness, cv::Mat& road) const;
  cv::Mat light_on(const GroundPiece& piece) const;

  const SceneWorld& world_;
};

}  // namespace shingle
