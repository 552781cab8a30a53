// [region] and [yolo]: they add no layer to the model; they say what its outputs mean.
#include <algorithm>
#include <numeric>

#include "partition/readers/darknet/layer.hpp"

namespace shingle::darknet {

namespace {

constexpr int32_t most_anchors = 2048;  // the longest list of pairs
constexpr int32_t most_classes = 1 << 20;

// All anchors of the section, times `unit` pixels.
std::vector<Anchor> anchors_of(Section& section, int32_t count, float unit_x, float unit_y) {
  const std::vector<float> sizes = section.numbers("anchors");
  std::vector<Anchor> anchors(static_cast<size_t>(count));
  if (sizes.size() < 2 * anchors.size()) {
    section.refuse("'anchors' holds " + std::to_string(sizes.size()) + " values, and 'num' says " +
                   std::to_string(count) + " pairs");
    return anchors;
  }
  for (size_t i = 0; i < anchors.size(); ++i) {
    anchors[i] = {.width = sizes[2 * i] * unit_x, .height = sizes[2 * i + 1] * unit_y};
    if (!(anchors[i].width > 0.0F && anchors[i].height > 0.0F)) {
      section.refuse("its anchor " + std::to_string(i) + " is not above 0");
    }
  }
  return anchors;
}

std::vector<int32_t> mask_of(Section& section, int32_t anchors) {
  std::vector<int32_t> mask = section.integers("mask");
  if (mask.empty()) {
    mask.resize(static_cast<size_t>(anchors));
    std::iota(mask.begin(), mask.end(), 0);
  }
  for (const int32_t index : mask) {
    if (index >= 0 && index < anchors) continue;
    section.refuse("'mask' names anchor " + std::to_string(index) + " of " +
                   std::to_string(anchors) + " (from 0)");
    return {};
  }
  return mask;
}

// Makes the map before the section an output of the model, if it has the channels for `detection`.
void add_detection(LayerBuilder& layer, DetectionLayer detection) {
  Section& section = layer.section();
  Network& network = layer.network();
  const TensorId map = layer.input();
  const int64_t per_anchor = int64_t{detection.coords} + 1 + detection.classes;
  const int64_t wanted = static_cast<int64_t>(detection.anchors.size()) * per_anchor;
  if (layer.shape(map).c != wanted) {
    section.refuse("it reads " + std::to_string(layer.shape(map).c) + " channels, and " +
                   std::to_string(detection.anchors.size()) + " anchors of " +
                   std::to_string(detection.coords) + " coordinates, 1 objectness and " +
                   std::to_string(detection.classes) + " classes are " + std::to_string(wanted) +
                   "; a layer of filters=" + std::to_string(wanted) + " should stand before it");
  }
  const std::vector<ModelOutput>& outputs = network.model.outputs;
  const bool taken = std::any_of(outputs.begin(), outputs.end(),
                                 [&](const ModelOutput& other) { return other.tensor == map; });
  if (taken || map == network.model.inputs[0]) {
    section.refuse("it reads a map that is an input or another detection's");
  }
  if (!section.sound()) return;
  detection.output = outputs.size();
  add_output(network.model, layer.name(), map);
  network.detections.push_back(std::move(detection));
}

}  // namespace

std::optional<TensorId> region(LayerBuilder& layer) {
  Section& section = layer.section();
  section.insist("background", 0.0F);
  if (section.has("tree")) section.refuse("shingle does not read class trees");
  const Shape picture = layer.shape(layer.network().model.inputs[0]);
  const Shape map = layer.shape(layer.input());
  const int32_t count = section.integer("num", 1, {1, most_anchors});
  DetectionLayer detection;
  detection.kind = DetectionLayer::Kind::region;
  // The file gives anchors in units of cells of the map.
  detection.anchors =
      anchors_of(section, count, static_cast<float>(picture.w) / static_cast<float>(map.w),
                 static_cast<float>(picture.h) / static_cast<float>(map.h));
  detection.mask.resize(detection.anchors.size());
  std::iota(detection.mask.begin(), detection.mask.end(), 0);
  detection.classes = section.integer("classes", 20, {1, most_classes});
  detection.coords = section.integer("coords", 4, {4, 1 << 10});
  detection.softmax = section.flag("softmax");
  add_detection(layer, std::move(detection));
  return std::nullopt;
}

std::optional<TensorId> yolo(LayerBuilder& layer) {
  Section& section = layer.section();
  const int32_t count = section.integer("num", 1, {1, most_anchors});
  const std::vector<Anchor> anchors = anchors_of(section, count, 1.0F, 1.0F);
  DetectionLayer detection;
  detection.mask = mask_of(section, count);
  for (const int32_t index : detection.mask) {
    detection.anchors.push_back(anchors[static_cast<size_t>(index)]);
  }
  detection.classes = section.integer("classes", 20, {1, most_classes});
  detection.new_coords = section.flag("new_coords");
  detection.scale_x_y = section.number("scale_x_y", 1.0F);
  add_detection(layer, std::move(detection));
  return std::nullopt;
}

}  // namespace shingle::darknet
