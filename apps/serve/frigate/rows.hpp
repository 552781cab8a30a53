// Detections in the form that Frigate wants: 20 rows of class, score, y1, x1, y2, x2. Frigate stops
// reading at the first row whose score is too small, so scores fall. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace shingle::serve {

struct FrigateBox {
  float x0 = 0.0F, y0 = 0.0F, x1 = 0.0F, y1 = 0.0F;  // in pixels
  float score = 0.0F;
  int32_t class_id = 0;
};

struct FrigateRows {
  static constexpr size_t rows = 20, columns = 6;
  std::array<float, rows * columns> values{};  // zeros: no detection

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(values.data()), sizeof values};
  }
};

// The best 20, in shares of the picture's sides. REQUIRES: sides are positive.
FrigateRows frigate_rows(std::vector<FrigateBox> boxes, int32_t width, int32_t height);

}  // namespace shingle::serve
