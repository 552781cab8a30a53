#include "apps/findings/mask.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

// For the pixels of a box along one axis: the two cells whose middles are around each, and how far
// it is from the first to the second.
struct Between {
  int32_t first = 0, second = 0;
  float share = 0.0F;
};
struct AxisOfBox {
  int32_t begin = 0, end = 0;  // pixels of the picture
  double scale = 1.0, offset = 0.0;
  int32_t input = 1, cells = 1;
};
std::vector<Between> cells_along(const AxisOfBox& axis) {
  std::vector<Between> found;
  for (int32_t pixel = axis.begin; pixel < axis.end; ++pixel) {
    const double in_input = (pixel + 0.5) * axis.scale + axis.offset;
    const double at =
        std::clamp(in_input / axis.input * axis.cells - 0.5, 0.0, double(axis.cells - 1));
    const auto first = static_cast<int32_t>(at);
    found.push_back({first, std::min(first + 1, axis.cells - 1), static_cast<float>(at - first)});
  }
  return found;
}

// The logits of rows and columns [begin, end) of the prototypes.
struct Logits {
  int32_t top = 0, left = 0, h = 0, w = 0;
  std::vector<float> values;

  float at(int32_t y, int32_t x) const {
    return values[static_cast<size_t>(y - top) * static_cast<size_t>(w) +
                  static_cast<size_t>(x - left)];
  }
};
Logits logits_of(const Prototypes& prototypes, std::span<const float> weights,
                 std::span<const Between> rows, std::span<const Between> columns) {
  Logits logits{.top = rows.front().first, .left = columns.front().first, .values = {}};
  logits.h = rows.back().second + 1 - logits.top;
  logits.w = columns.back().second + 1 - logits.left;
  logits.values.assign(static_cast<size_t>(logits.h) * static_cast<size_t>(logits.w), 0.0F);
  const auto height = static_cast<size_t>(prototypes.h), width = static_cast<size_t>(prototypes.w);
  for (size_t i = 0; i < prototypes.count; ++i)
    for (int32_t y = 0; y < logits.h; ++y) {
      const size_t row = i * height + static_cast<size_t>(logits.top + y);
      const float* from = prototypes.values.data() + row * width + logits.left;
      float* to = logits.values.data() + static_cast<size_t>(y) * static_cast<size_t>(logits.w);
      for (int32_t x = 0; x < logits.w; ++x) to[x] += weights[i] * from[x];
    }
  return logits;
}

float between(float a, float b, float share) { return a + (b - a) * share; }

}  // namespace

Mask mask_in_picture(const Prototypes& prototypes, std::span<const float> weights, const Box& box,
                     Shape input, const Placement& placement) {
  assert(weights.size() == prototypes.count);
  Mask mask{.x = static_cast<int32_t>(std::floor(box.x)),
            .y = static_cast<int32_t>(std::floor(box.y)),
            .runs = {}};
  const auto right = static_cast<int32_t>(std::ceil(box.x + box.w));
  const auto bottom = static_cast<int32_t>(std::ceil(box.y + box.h));
  mask.w = right - mask.x;
  mask.h = bottom - mask.y;
  if (mask.w <= 0 || mask.h <= 0) return mask;
  const auto rows =
      cells_along({mask.y, bottom, placement.scale_y, placement.top, input.h, prototypes.h});
  const auto columns =
      cells_along({mask.x, right, placement.scale_x, placement.left, input.w, prototypes.w});
  const Logits logits = logits_of(prototypes, weights, rows, columns);
  bool inside = false;
  uint32_t run = 0;
  for (const Between& y : rows)
    for (const Between& x : columns) {
      const float above =
          between(logits.at(y.first, x.first), logits.at(y.first, x.second), x.share);
      const float below =
          between(logits.at(y.second, x.first), logits.at(y.second, x.second), x.share);
      const bool here = between(above, below, y.share) > 0.0F;
      if (here != inside) {
        mask.runs.push_back(run);
        run = 0;
        inside = here;
      }
      ++run;
    }
  mask.runs.push_back(run);
  return mask;
}

}  // namespace shingle
