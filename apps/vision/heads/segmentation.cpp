// Semantic segmentation: scores of C classes for each cell of a map over the whole input (any
// increasing function of a probability will do), or the best class itself, where the graph ends in
// ArgMax.
//
// A map of one channel may as well be a depth or a logit, so the user must name the head for it.
#include <algorithm>
#include <cmath>

#include "apps/vision/head.hpp"
#include "apps/vision/heads/cells.hpp"

namespace shingle {
namespace {

// 1xCxHxW, 1x1xHxW or 1xHxW, as C, H, W.
std::optional<Shape> map_shape(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if ((dims.size() != 3 && dims.size() != 4) || dims[0] != 1) return std::nullopt;
  const int64_t h = dims[dims.size() - 2], w = dims[dims.size() - 1];
  if (h * w < 2 || h > clues.input.h || w > clues.input.w) return std::nullopt;
  return Shape{static_cast<int32_t>(h), static_cast<int32_t>(w),
               static_cast<int32_t>(dims.size() == 4 ? dims[1] : 1)};
}

std::optional<Claim> claim(const Clues& clues) {
  const auto map = map_shape(clues);
  if (!map) return std::nullopt;
  if (map->c == 1) return Claim{.classes = 0, .certainty = Certainty::shared};
  return Claim{.classes = map->c};
}

// ImageNet's, as torchvision's models and most others were trained.
Preparation preparation(const Clues& clues) {
  if (!metadata_of(clues, "task").empty())  // Ultralytics' own
    return {.fit = Fit::centred, .colour = ColourOrder::rgb};
  return {.fit = Fit::stretch,
          .colour = ColourOrder::rgb,
          .mean = {123.675F, 116.28F, 103.53F},
          .deviation = {58.395F, 57.12F, 57.375F}};
}

static_assert(ClassMap::unseen == -1);  // what class_in() says of what is no class

ClassMap decode(const Clues& clues, Values values) {
  const Shape shape = *map_shape(clues);
  ClassMap map{.width = shape.w, .height = shape.h, .classes = {}};
  const size_t cells = static_cast<size_t>(shape.h) * static_cast<size_t>(shape.w);
  const Table table{values[0], cells, static_cast<size_t>(shape.c), true};
  map.classes.reserve(cells);
  for (size_t cell = 0; cell < cells; ++cell)
    map.classes.push_back(shape.c == 1 ? class_in(table(cell, 0))
                                       : best_class(table, cell, 0, table.columns).class_id);
  return map;
}

}  // namespace

constinit const Head segmentation_head{.name = "segmentation",
                                       .outputs = "1xCxHxW, or 1x1xHxW or 1xHxW of classes",
                                       .task = "semantic",
                                       .customary_classes = 0,
                                       .usual_min_score = 0.0F,
                                       .usual_size = 512,
                                       .claim = claim,
                                       .preparation = preparation,
                                       .decode = decode};

}  // namespace shingle
