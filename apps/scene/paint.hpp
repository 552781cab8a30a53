// Painting with subpixel corners, and the textures that keep painted ground from looking painted.
#pragma once

#include "apps/scene/camera.hpp"
#include "apps/scene/dice.hpp"

namespace shingle {

using Colour = cv::Scalar;  // blue, green, red, 0 to 255

Colour grey(double level);
Colour shaded(const Colour& colour, double light);  // times light, kept below 255
Colour tinted(SceneDice& dice, const Colour& colour,
              double spread);  // each channel off by up to spread

// Corners in pixels; any simple polygon, antialiased.
void fill(cv::Mat& image, const Outline& corners, const Colour& colour);
void fill_circle(cv::Mat& image, cv::Point2d centre, double radius, const Colour& colour);
void stroke(cv::Mat& image, const Outline& points, double width, const Colour& colour);

// Smooth noise in [-1, 1], CV_32F: octaves from `coarsest` pixels a cell down to `finest`, each
// with half the cell and `persistence` times the weight of the one before.
struct Grain {
  double coarsest = 64, finest = 2, persistence = 0.7;
};
cv::Mat noise(SceneDice& dice, cv::Size size, const Grain& grain);

}  // namespace shingle
