// Which of several layers of slices shows vehicles at the scale that the model was trained at.
//
// A vehicle is found at two neighbouring scales, a factor of two apart, at the same place and with
// the same size. A part of a vehicle, a roof window or a shadow is found at one of them. So what
// two neighbours agree about tells the size of vehicles:
//
//   evidence of a pair of layers = agreed boxes * agreed boxes / sure boxes of the coarser layer
//
// The quotient counts because the finest layer of a large picture has hundreds of false boxes, and
// some of them agree by chance.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"
#include "apps/findings/detection.hpp"

namespace shingle::drone {

// What tells of the ground's scale: boxes with the first of these scores that `enough_vehicles`
// have. Surer ones come first, because a picture of many houses has many doubtful boxes on them.
inline constexpr std::array sure_scores{0.6F, 0.5F, 0.3F};
inline constexpr size_t enough_vehicles = 3;

struct LayerFound {
  double shrink = 1.0;             // of the layer; the layers' shrinks fall
  std::vector<Detection> found{};  // in the picture's pixels
};

struct ScaleVote {
  size_t layer = 0;                  // that shows most
  std::vector<PixelBox> vehicles{};  // that tell the scale; none: no two layers agreed
};

// REQUIRES: one layer at least; the model's scale is above 0.
ScaleVote vote_on_scale(std::span<const LayerFound> layers, double metres_per_pixel);

}  // namespace shingle::drone
