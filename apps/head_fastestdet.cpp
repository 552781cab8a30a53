#include "apps/head_fastestdet.hpp"

#include <cassert>
#include <cmath>

namespace shingle {
namespace {

float sigmoid(float value) { return 1.0F / (1.0F + std::exp(-value)); }

// One cell's column through the planes.
struct Column {
  std::span<const float> map;
  size_t plane = 0, offset = 0;
  float operator[](int32_t channel) const {
    return map[static_cast<size_t>(channel) * plane + offset];
  }
};

int32_t best_class(const Column& column, int32_t channels) {
  int32_t best = 5;
  for (int32_t c = 6; c < channels; ++c)
    if (column[c] > column[best]) best = c;
  return best - 5;
}

Box box_of(const Column& column, int32_t x, int32_t y, Shape cells, Shape input) {
  const float width = static_cast<float>(input.w), height = static_cast<float>(input.h);
  const float w = sigmoid(column[3]) * width, h = sigmoid(column[4]) * height;
  const float centre_x =
      (static_cast<float>(x) + std::tanh(column[1])) / static_cast<float>(cells.w) * width;
  const float centre_y =
      (static_cast<float>(y) + std::tanh(column[2])) / static_cast<float>(cells.h) * height;
  return {centre_x - w / 2, centre_y - h / 2, w, h};
}

}  // namespace

std::vector<Detection> decode_fastestdet(std::span<const float> map, Shape cells, Shape input,
                                         float min_score) {
  assert(cells.c > 5 && std::ssize(map) == cells.elements());
  std::vector<Detection> found;
  const size_t plane = static_cast<size_t>(cells.h) * static_cast<size_t>(cells.w);
  for (int32_t y = 0; y < cells.h; ++y)
    for (int32_t x = 0; x < cells.w; ++x) {
      const Column column{map, plane, static_cast<size_t>(y * cells.w + x)};
      const int32_t class_id = best_class(column, cells.c);
      const float score = std::pow(column[0], 0.6F) * std::pow(column[class_id + 5], 0.4F);
      if (!(score >= min_score)) continue;  // a negative objectness has no power: not a number
      found.push_back({class_id, score, box_of(column, x, y, cells, input)});
    }
  return found;
}

}  // namespace shingle
