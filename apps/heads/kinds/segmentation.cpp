// Semantic segmentation: scores of C classes for each cell of a map over the whole input (any
// increasing function of a probability will do), or the best class itself, where the graph ends in
// ArgMax.
//
// A map of one channel may as well be a depth or a logit, so the user must name the head for it.
#include <algorithm>
#include <cmath>

#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"
#include "apps/heads/kinds/maps.hpp"

namespace shingle {
namespace {

// No finer than the input.
std::optional<Shape> map_shape(const Clues& clues) {
  const auto map = only_map(clues);
  return map && map->h <= clues.input.h && map->w <= clues.input.w ? map : std::nullopt;
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
  return imagenet_preparation(Fit::stretch);
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
