#include "devices/kernels/product.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace shingle::kernels {

namespace {

constexpr int32_t depth_at_a_time = 64;  // rows of a panel that stay in L1 while columns are turned

// Where a panel stands, and what it holds: `count` columns of one matrix from `first` on.
struct PanelPlace {
  int32_t matrix = 0, first = 0, count = 0;
  std::ptrdiff_t width = 0;  // whole vectors
  float* to = nullptr;
};

PanelPlace place_of(const ProductOperand& operand, int32_t panel, float* packed) {
  const int32_t columns = operand.columns.size(), full = panel_channels(), lanes = vector_floats();
  const int32_t each = (columns + full - 1) / full;
  PanelPlace place{.matrix = panel / each, .first = panel % each * full};
  place.count = std::min(full, columns - place.first);
  const auto whole_vectors = [&](int32_t count) {
    return static_cast<std::ptrdiff_t>((count + lanes - 1) / lanes * lanes);
  };
  place.width = whole_vectors(place.count);
  place.to = packed + (place.matrix * whole_vectors(columns) + place.first) * (operand.depth + 1);
  return place;
}

const float* pixel_at(const ProductOperand& operand, int32_t pixel) {
  const InputRows& map = operand.map;
  return map.row[pixel / operand.width - map.rows.begin] + operand.channel +
         (pixel % operand.width - map.columns.begin) * map.pixel;
}

// Pixels are the depth: each has the panel's columns side by side.
void copy_columns(const ProductOperand& operand, const PanelPlace& place) {
  const auto bytes = static_cast<std::size_t>(place.count) * sizeof(float);
  const std::ptrdiff_t channel = std::ptrdiff_t{place.matrix} * operand.step + place.first;
  float* to = place.to + place.width;
  for (int32_t k = 0; k < operand.depth; ++k, to += place.width) {
    std::memcpy(to, pixel_at(operand, k) + channel, bytes);
    std::fill(to + place.count, to + place.width, 0.0F);
  }
}

// Pixels are columns: each has the whole depth side by side.
void turn_columns(const ProductOperand& operand, const PanelPlace& place) {
  const std::ptrdiff_t channel = std::ptrdiff_t{place.matrix} * operand.step;
  for (int32_t begin = 0; begin < operand.depth; begin += depth_at_a_time) {
    const int32_t end = std::min(operand.depth, begin + depth_at_a_time);
    for (int32_t i = 0; i < place.width; ++i) {
      float* to = place.to + (begin + 1) * place.width + i;
      const float* from = i < place.count
                              ? pixel_at(operand, operand.columns.begin + place.first + i) + channel
                              : nullptr;
      for (int32_t k = begin; k < end; ++k, to += place.width) *to = from ? from[k] : 0.0F;
    }
  }
}

}  // namespace

FilterShape product_filter(const ProductOperand& operand) {
  return {.outputs = operand.stack * operand.columns.size(),
          .inputs = operand.depth,
          .kernel_y = 1,
          .kernel_x = 1,
          .groups = operand.stack};
}

int32_t product_panels(const ProductOperand& operand) {
  const int32_t full = panel_channels();
  return (operand.columns.size() + full - 1) / full * operand.stack;
}

void pack_product(const ProductOperand& operand, int32_t panel, float* packed) {
  assert(panel >= 0 && panel < product_panels(operand));
  const PanelPlace place = place_of(operand, panel, packed);
  std::fill_n(place.to, place.width, 0.0F);  // no bias
  if (operand.turned) return turn_columns(operand, place);
  copy_columns(operand, place);
}

}  // namespace shingle::kernels
