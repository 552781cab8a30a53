// A photograph looked at as `shingle-drone run` looks at a flight: as a film of itself.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/eyes.hpp"

namespace shingle::bench {

// The boxes that the tracker gets: one for each vehicle, whatever classes the detector gave it.
std::vector<Detection> as_followed(std::span<const Detection> found);

// What the photograph's last look found, as followed. `scale`: metres per pixel that the model was
// trained at; the photograph's own is found by its boxes. Adds to `slices` how many were computed.
std::vector<Detection> watch(Eyes& eyes, const cv::Mat& image, double scale, uint64_t& slices);

std::optional<double> scale_in_file(const Eyes& eyes);  // that the model's file states

}  // namespace shingle::bench
