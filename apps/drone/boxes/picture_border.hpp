// The border of the picture cuts what is half outside: the centre of what is left of a vehicle is
// not the vehicle's, and seems to stop there.
#pragma once

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

// The box touches the border of a picture of this size in pixels, or is within a pixel of it:
// detectors end boxes there. A size of 0 is not known: only the left or upper border counts then.
bool touches_border(const PixelBox& box, double width, double height);

}  // namespace shingle::drone
