// Darknet's detection maps: `yolov2` reads those before [region] sections, `yolov3` those before
// [yolo] sections, also as YOLOv4 writes them. The cfg says what each map means: for each of its
// anchors the planes x, y, w, h, (more coordinates,) objectness, class scores..., and
//
//   centre = (cell + sigmoid(xy)) * stride    size = exp(wh) * anchor
//   score = sigmoid(objectness) * class: a [region]'s by softmax, else each by the sigmoid
//
// with `scale_x_y` s: sigmoid(xy) * s - (s - 1) / 2; with `new_coords` every sigmoid is in the
// network already, and size = (2 wh)^2 * anchor. (github.com/pjreddie/darknet, src/region_layer.c
// and src/yolo_layer.c; github.com/AlexeyAB/darknet, src/yolo_layer.c, for those two options.)
#include <algorithm>
#include <cassert>

#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"

namespace shingle {
namespace {

using Kind = DetectionLayer::Kind;

std::optional<Claim> claim(const Clues& clues, Kind kind) {
  if (clues.detections.empty() || clues.detections.size() != clues.outputs.size())
    return std::nullopt;
  const int32_t classes = clues.detections[0].classes;
  for (const DetectionLayer& layer : clues.detections)
    if (layer.kind != kind || layer.classes != classes) return std::nullopt;
  return Claim{.classes = classes, .certainty = Certainty::stated};
}

std::optional<Claim> claim_regions(const Clues& clues) { return claim(clues, Kind::region); }
std::optional<Claim> claim_yolos(const Clues& clues) { return claim(clues, Kind::yolo); }

// Darknet's letterbox_image: in the middle, on a grey of 0.5.
Preparation preparation(const Clues&) {
  return {.fit = Fit::centred, .colour = ColourOrder::rgb, .fill = 128};
}

// One detection's map and what it means.
struct Map {
  const DetectionLayer& layer;
  std::span<const float> values;
  size_t h = 0, w = 0;
  float stride_x = 1.0F, stride_y = 1.0F;

  size_t objectness() const { return static_cast<size_t>(layer.coords); }
  size_t record() const { return objectness() + 1 + static_cast<size_t>(layer.classes); }
  float probability(float value) const { return layer.new_coords ? value : sigmoid(value); }
};

// The numbers of one anchor at one cell.
struct Place {
  const Map& map;
  size_t anchor = 0, y = 0, x = 0;

  float operator[](size_t index) const {
    return map.values[((anchor * map.record() + index) * map.h + y) * map.w + x];
  }
};

BestClass class_at(const Place& at) {
  const size_t first = at.map.objectness() + 1, end = at.map.record();
  size_t best = first;
  for (size_t index = first + 1; index < end; ++index)
    if (at[index] > at[best]) best = index;
  const int class_id = static_cast<int>(best - first);
  if (!at.map.layer.softmax) return {class_id, at.map.probability(at[best])};
  float sum = 0.0F;  // at least 1: that of the best itself
  for (size_t index = first; index < end; ++index) sum += std::exp(at[index] - at[best]);
  return {class_id, 1.0F / sum};
}

Box box_at(const Place& at) {
  const DetectionLayer& layer = at.map.layer;
  const Anchor& anchor = layer.anchors[at.anchor];
  const auto centre = [&](size_t index, size_t cell) {
    const float scale = layer.scale_x_y;
    return static_cast<float>(cell) + at.map.probability(at[index]) * scale - (scale - 1.0F) / 2;
  };
  const auto size = [&](size_t index) {
    const float value = at[index];
    return layer.new_coords ? 4.0F * value * value : std::exp(value);
  };
  return around(centre(0, at.x) * at.map.stride_x, centre(1, at.y) * at.map.stride_y,
                size(2) * anchor.width, size(3) * anchor.height);
}

void collect(const Map& map, float min_score, Detections& found) {
  for (size_t anchor = 0; anchor < map.layer.anchors.size(); ++anchor)
    for (size_t y = 0; y < map.h; ++y)
      for (size_t x = 0; x < map.w; ++x) {
        const Place at{map, anchor, y, x};
        const float objectness = map.probability(at[map.objectness()]);
        if (!(objectness >= min_score)) continue;  // a class is at most 1: nearly all end here
        const BestClass best = class_at(at);
        const float score = objectness * best.score;
        if (score >= min_score) found.push_back({best.class_id, score, box_at(at)});
      }
}

Detections decode(const Clues& clues, Values values, float min_score) {
  Detections found;
  for (const DetectionLayer& layer : clues.detections) {
    const std::vector<int64_t>& dims = clues.outputs[layer.output].dims;
    const Map map{.layer = layer,
                  .values = values[layer.output],
                  .h = static_cast<size_t>(dims[2]),
                  .w = static_cast<size_t>(dims[3]),
                  .stride_x = static_cast<float>(clues.input.w) / static_cast<float>(dims[3]),
                  .stride_y = static_cast<float>(clues.input.h) / static_cast<float>(dims[2])};
    assert(map.values.size() == layer.anchors.size() * map.record() * map.h * map.w);
    collect(map, min_score, found);
  }
  return found;
}

}  // namespace

// Darknet's own threshold is 0.5 for both.
constinit const Head yolov2_head{.name = "yolov2",
                                 .outputs = "the maps before a Darknet cfg's [region] sections",
                                 .task = "detect",
                                 .customary_classes = 80,
                                 .usual_min_score = 0.5F,
                                 .usual_size = 416,
                                 .claim = claim_regions,
                                 .preparation = preparation,
                                 .decode = decode};

constinit const Head yolov3_head{.name = "yolov3",
                                 .outputs = "the maps before a Darknet cfg's [yolo] sections",
                                 .task = "detect",
                                 .customary_classes = 80,
                                 .usual_min_score = 0.5F,
                                 .usual_size = 416,
                                 .claim = claim_yolos,
                                 .preparation = preparation,
                                 .decode = decode};

}  // namespace shingle
