#include "apps/heads/kinds/maps.hpp"

namespace shingle {

std::optional<Shape> only_map(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if ((dims.size() != 3 && dims.size() != 4) || dims[0] != 1) return std::nullopt;
  const int64_t h = dims[dims.size() - 2], w = dims[dims.size() - 1];
  const int64_t channels = dims.size() == 4 ? dims[1] : 1;
  if (channels < 1 || h < 1 || w < 1 || h * w < 2) return std::nullopt;
  return Shape{static_cast<int32_t>(h), static_cast<int32_t>(w), static_cast<int32_t>(channels)};
}

int64_t only_vector(const Clues& clues) {
  if (clues.outputs.size() != 1) return 0;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  const bool vector = dims.size() == 2 || (dims.size() == 4 && dims[2] == 1 && dims[3] == 1);
  return vector && dims[0] == 1 ? dims[1] : 0;
}

Preparation imagenet_preparation(Fit fit) {
  return {.fit = fit,
          .colour = ColourOrder::rgb,
          .mean = {123.675F, 116.28F, 103.53F},
          .deviation = {58.395F, 57.12F, 57.375F}};
}

}  // namespace shingle
