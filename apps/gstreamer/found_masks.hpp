// FoundMask: a mask that shingle_findings() tells of as runs, as a byte for each pixel.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace shingle::gst {

constexpr int32_t whole_picture = -1;

struct FoundMask {
  int32_t box = whole_picture;  // the number of the box that it belongs to, from 0 on
  int32_t x = 0, y = 0, width = 0, height = 0;  // its place in the picture, in pixels
  // Row by row. Of a box: 1 inside the object, else 0. Of the whole picture: each pixel's class.
  std::vector<uint8_t> pixels{};
};

// All masks of a JSON object of shingle_findings(), in the order of its boxes. Left out are masks
// whose runs do not fill their sides, whose sides are above 65536, or with classes above 255.
std::vector<FoundMask> masks_of(std::string_view findings);

}  // namespace shingle::gst
