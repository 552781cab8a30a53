// DBNet: where text is. A map of the input's size says of each pixel how probably it belongs to a
// line of text, drawn in from all sides so that lines do not touch.
//
//   pixels of more than 0.3 --> outlines --> the smallest rectangle around each --> its score, the
//   mean of the map inside --> widened on all sides by area * 1.5 / perimeter
//
// (Liao et al., "Real-time Scene Text Detection with Differentiable Binarization", 2020;
// PaddleOCR's DBPostProcess, box_type quad, score_mode fast. A polygon offset of a rectangle with
// round corners has as its smallest rectangle the one widened by as much, so no polygon is
// clipped.)
//
// The map looks like any other map of one channel: the user must name the head.
#include <algorithm>
#include <cmath>

#include "apps/heads/kinds/maps.hpp"
#include "apps/heads/outlines.hpp"
#include "apps/heads/smallest_rectangle.hpp"

namespace shingle {
namespace {

constexpr float least_probability = 0.3F;
constexpr size_t most_outlines = 1000;
constexpr float least_side = 3.0F;  // of a rectangle before it is widened
constexpr float unclip_ratio = 1.5F;

std::optional<Claim> claim(const Clues& clues) {
  const auto map = only_map(clues);
  if (!map || map->c != 1 || map->h != clues.input.h || map->w != clues.input.w)
    return std::nullopt;
  return Claim{.classes = 1, .certainty = Certainty::shared};
}

// PaddleOCR's: ImageNet's numbers in their order for RGB, on channels in the order BGR.
Preparation preparation(const Clues&) {
  Preparation prepared = imagenet_preparation(Fit::stretch);
  prepared.colour = ColourOrder::bgr;
  return prepared;
}

// Outlines go through the middles of pixels; the rectangle covers the pixels whole.
TurnedBox rectangle_around(const Outline& outline) {
  const EncasingRectangle found = smallest_rectangle(outline);
  return regular({.class_id = 0,
                  .score = 0.0F,
                  .x = static_cast<float>(found.x + 0.5),
                  .y = static_cast<float>(found.y + 0.5),
                  .w = static_cast<float>(found.w + 1.0),
                  .h = static_cast<float>(found.h + 1.0),
                  .angle = static_cast<float>(found.angle)});
}

struct TextMap {
  PixelSize size;
  std::vector<float> values;  // 0 where the network says no probability
};

// The mean of the map over the pixels whose middles lie in the rectangle; 0 where there are none.
float mean_inside(const TextMap& map, const TurnedBox& box) {
  const double cos = std::cos(double{box.angle}), sin = std::sin(double{box.angle});
  const double reach = std::hypot(double{box.w}, double{box.h}) / 2.0;
  const auto begin = [&](float centre) {
    return std::max(static_cast<int32_t>(std::floor(double{centre} - reach)), 0);
  };
  const auto end = [&](float centre, int32_t most) {
    return std::min(static_cast<int32_t>(std::ceil(double{centre} + reach)), most);
  };
  const int32_t right = end(box.x, map.size.width), bottom = end(box.y, map.size.height);
  double sum = 0.0;
  int64_t count = 0;
  for (int32_t y = begin(box.y); y < bottom; ++y)
    for (int32_t x = begin(box.x); x < right; ++x) {
      const double dx = x + 0.5 - double{box.x}, dy = y + 0.5 - double{box.y};
      if (std::abs(dx * cos + dy * sin) > double{box.w} / 2 ||
          std::abs(dy * cos - dx * sin) > double{box.h} / 2)
        continue;
      sum += double{map.values[static_cast<size_t>(y) * static_cast<size_t>(map.size.width) +
                               static_cast<size_t>(x)]};
      ++count;
    }
  return count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
}

TurnedBoxes decode(const Clues& clues, Values values, float min_score) {
  const Shape shape = *only_map(clues);
  TextMap map{{shape.w, shape.h}, values[0]};
  for (float& value : map.values)
    if (!(value >= 0.0F && value <= 1.0F)) value = 0.0F;
  std::vector<uint8_t> text;
  for (const float value : map.values) text.push_back(value > least_probability ? 1 : 0);
  std::vector<Outline> outlines = outlines_of(text, map.size);
  outlines.resize(std::min(outlines.size(), most_outlines));
  TurnedBoxes found;
  for (const Outline& outline : outlines) {
    TurnedBox box = rectangle_around(outline);
    if (box.h < least_side) continue;
    box.score = mean_inside(map, box);
    if (!(box.score >= min_score)) continue;
    const float widened = box.w * box.h * unclip_ratio / (box.w + box.h);  // both sides together
    box.w += widened;
    box.h += widened;
    found.push_back(box);
  }
  return found;
}

}  // namespace

constinit const Head dbnet_head{.name = "dbnet",
                                .outputs = "1x1xHxW or 1xHxW, H and W the input's",
                                .task = "text-areas",
                                .customary_classes = 1,
                                .usual_min_score = 0.6F,
                                .claim = claim,
                                .preparation = preparation,
                                .decode = decode,
                                .is_final = true,
                                .only_class = "text"};

}  // namespace shingle
