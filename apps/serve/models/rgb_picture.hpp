// A picture of 8-bit RGB, densely packed.
#pragma once

#include <cstdint>
#include <vector>

namespace shingle::serve {

struct RgbPicture {
  int32_t width = 0, height = 0;
  std::vector<uint8_t> pixels;
};

}  // namespace shingle::serve
