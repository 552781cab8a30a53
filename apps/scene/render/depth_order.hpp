// Which of several standing things is drawn before which, so that each hides what is behind it.
//
// Two things whose footprints a line parts: the one on the camera's side of the line is drawn after
// the other, because no ray from the camera can pass the other first. Where footprints meet, the
// higher one comes later (a crown over a car, a bridge over a road). The order of all is one in
// which each such pair stands right; only things that meet in the picture are compared.
#pragma once

#include <span>
#include <vector>

#include "apps/scene/camera.hpp"

namespace shingle {

struct StandingThing {
  Outline footprint;  // convex, metres
  double foot = 0.0;  // metres above the ground where it begins
  Box seen;           // all of it, in pixels
};

enum class DrawnFirst { neither, left, right };
// `nadir` is the ground below the camera.
DrawnFirst drawn_first(const StandingThing& left, const StandingThing& right, cv::Point2d nadir);

// Indices of `things`, what is drawn first comes first. Things of which neither hides the other
// come by their distance, far to near; so do those of a circle, which long things around the nadir
// can form.
std::vector<size_t> depth_order(std::span<const StandingThing> things, cv::Point2d nadir);

}  // namespace shingle
