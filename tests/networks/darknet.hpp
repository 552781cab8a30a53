// The named Darknet networks in Darknet's two files, with seeded weights: "yolov2", "yolov2_tiny",
// "yolov3", "yolov3_tiny", "yolov4_tiny", "tiny" (one small map).
#pragma once

#include "tests/networks/darknet_writer.hpp"

namespace shingle::networks {

std::vector<std::string> darknet_names();

// `size`: input height and width, a multiple of 32; 0 is 416.
Result<DarknetFiles> make_darknet(std::string_view name, int32_t size = 0, uint64_t seed = 1);

}  // namespace shingle::networks
