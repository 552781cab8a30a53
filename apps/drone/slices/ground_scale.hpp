// How much ground a pixel shows.
#pragma once

namespace shingle::drone {

struct GroundScale {    // metres across the view in a pixel; above 0
  double middle = 0.0;  // in the middle of the picture
  double below = 0.0;   // in the middle of its lower border: less, where the camera looks slantwise
};

}  // namespace shingle::drone
