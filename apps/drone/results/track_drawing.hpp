// Tracks drawn into a picture: a box in the colour of its class with its number, and its speed
// where one is known.
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <span>
#include <string>

#include "apps/drone/count/sighting.hpp"

namespace shingle::drone {

// REQUIRES: 8-bit BGR; the sightings are of this picture.
void draw_tracks(cv::Mat& picture, std::span<const Sighting> sightings,
                 const std::function<std::string(int class_id)>& name_of);

}  // namespace shingle::drone
