// YOLOv5's exports. Decoded in the graph: rows [x, y, w, h, objectness, class scores...] in input
// pixels and probabilities, three for each cell. Or as the three maps before that, 1x3xHxWx(5+C) or
// 1x(3*(5+C))xHxW, of which, with a standing for one of the three anchors of that stride,
//
//   centre = (2 sigmoid(xy) - 0.5 + cell) * stride    size = (2 sigmoid(wh))^2 * a
//   score = sigmoid(objectness) * sigmoid(class)
//
// (github.com/ultralytics/yolov5, models/yolo.py, Detect.forward, and its anchors. YOLOv7's maps
// have the same shapes and other anchors, and YOLOv5 itself fits anchors to a user's own data: maps
// count as YOLOv5's by themselves only where the metadata are Ultralytics' and the classes COCO's,
// or where the user gives the anchors.)
#include <algorithm>

#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"

namespace shingle {
namespace {

constexpr int64_t before_classes = 5;
constexpr int64_t anchors = 3;
constexpr int64_t coco_classes = 80;

constexpr std::array<std::array<Anchor, 3>, 3> anchors_of{{{{{10, 13}, {16, 30}, {33, 23}}},
                                                           {{{30, 61}, {62, 45}, {59, 119}}},
                                                           {{{116, 90}, {156, 198}, {373, 326}}}}};

// One stride's map: the number `index` of an anchor's record at a cell.
struct RawMap {
  std::span<const float> values{};
  int64_t h = 0, w = 0, record = 0;
  bool channels_first = true;
  float operator()(int64_t anchor, int64_t y, int64_t x, int64_t index) const {
    const int64_t at = channels_first ? ((anchor * record + index) * h + y) * w + x
                                      : ((anchor * h + y) * w + x) * record + index;
    return values[static_cast<size_t>(at)];
  }
};

// None: the dims are not those of the map of that stride.
std::optional<RawMap> map_of(const std::vector<int64_t>& dims, Shape input, int32_t stride) {
  RawMap map;
  if (dims.size() == 5 && dims[1] == anchors)
    map = {.h = dims[2], .w = dims[3], .record = dims[4], .channels_first = false};
  else if (dims.size() == 4 && dims[1] % anchors == 0)
    map = {.h = dims[2], .w = dims[3], .record = dims[1] / anchors};
  const bool fits =
      map.record > before_classes && map.h * stride == input.h && map.w * stride == input.w;
  return fits ? std::optional(map) : std::nullopt;
}

std::optional<Claim> claim_maps(const Clues& clues) {
  int64_t record = 0;
  for (size_t level = 0; level < 3; ++level) {
    const auto map = map_of(clues.outputs[level].dims, clues.input, strides_8_to_32[level]);
    if (!map || (level > 0 && map->record != record)) return std::nullopt;
    record = map->record;
  }
  const bool published =
      !metadata_of(clues, "stride").empty() && record - before_classes == coco_classes;
  return Claim{.classes = record - before_classes,
               .certainty = published || !clues.anchors.empty() ? Certainty::distinctive
                                                                : Certainty::shared};
}

std::optional<Claim> claim(const Clues& clues) {
  if (clues.outputs.size() == 3) return claim_maps(clues);
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if (dims.size() != 3 || dims[2] <= before_classes) return std::nullopt;
  if (!covers_cells(dims[1], anchors, clues.input)) return std::nullopt;
  return Claim{.classes = dims[2] - before_classes};
}

Preparation preparation(const Clues&) { return {.fit = Fit::centred, .colour = ColourOrder::rgb}; }

Detections decode_rows(const Clues& clues, Values values, float min_score) {
  const auto rows = static_cast<size_t>(clues.outputs[0].dims[1]);
  const auto columns = static_cast<size_t>(clues.outputs[0].dims[2]);
  return decoded_rows({values[0], rows, columns}, before_classes, min_score);
}

const Anchor& anchor_of(const Clues& clues, size_t level, int64_t anchor) {
  const auto index = static_cast<size_t>(anchor);
  return clues.anchors.empty() ? anchors_of[level][index]
                               : clues.anchors[level * static_cast<size_t>(anchors) + index];
}

struct Place {
  int64_t anchor = 0, y = 0, x = 0;
};

Detection decode_at(const RawMap& map, Place at, float stride, const Anchor& anchor) {
  const auto value = [&](int64_t index) { return map(at.anchor, at.y, at.x, index); };
  int64_t best = before_classes;
  for (int64_t index = best + 1; index < map.record; ++index)
    if (value(index) > value(best)) best = index;
  const auto centre = [&](int64_t index, int64_t cell) {
    return (2.0F * sigmoid(value(index)) - 0.5F + static_cast<float>(cell)) * stride;
  };
  const float w = 2.0F * sigmoid(value(2)), h = 2.0F * sigmoid(value(3));
  return {
      .class_id = static_cast<int>(best - before_classes),
      .score = sigmoid(value(4)) * sigmoid(value(best)),
      .box = around(centre(0, at.x), centre(1, at.y), w * w * anchor.width, h * h * anchor.height)};
}

Detections decode(const Clues& clues, Values values, float min_score) {
  if (values.size() == 1) return decode_rows(clues, values, min_score);
  Detections found;
  for (size_t level = 0; level < 3; ++level) {
    const int32_t stride = strides_8_to_32[level];
    RawMap map = *map_of(clues.outputs[level].dims, clues.input, stride);
    map.values = values[level];
    for (Place at; at.anchor < anchors; ++at.anchor)
      for (at.y = 0; at.y < map.h; ++at.y)
        for (at.x = 0; at.x < map.w; ++at.x) {
          const Anchor& anchor = anchor_of(clues, level, at.anchor);
          const Detection here = decode_at(map, at, static_cast<float>(stride), anchor);
          if (here.score >= min_score) found.push_back(here);
        }
  }
  return found;
}

}  // namespace

constinit const Head yolov5_head{
    .name = "yolov5",
    .outputs = "1xNx(5+C), N three times the cells of strides 8, 16 and 32, or three maps",
    .task = "detect",
    .customary_classes = 80,
    .usual_min_score = 0.25F,
    .usual_size = 640,
    .claim = claim,
    .preparation = preparation,
    .decode = decode};

}  // namespace shingle
