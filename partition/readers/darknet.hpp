// Darknet's two files in, Model out: the text of a .cfg, which says the layers, and the bytes of
// its .weights. Opens no file; every size is bounded; weights are views into `weights`, which must
// outlive the model, but for those that batch normalisation is folded into. Throws nothing.
//
// The model's outputs are the raw maps that go into the cfg's [region] and [yolo] sections, in the
// cfg's order; DetectionLayer says how each is to be decoded. A cfg without such sections has one
// output, its last layer's. The input is planes of red, green, blue, each element v/255.
// What is read and by which rules: docs/use/darknet.md.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle {

// What a cell of a detection map predicts boxes around.
struct Anchor {
  float width = 1.0F, height = 1.0F;  // pixels of the model's input, for both kinds
  friend bool operator==(const Anchor&, const Anchor&) = default;
};

// One [region] (YOLOv2) or [yolo] (YOLOv3, v4) section. Its map [1, anchors * (coords + 1 +
// classes), h, w] holds for each anchor in turn the channels: x, y, w, h (`coords` of them), then
// objectness, then one score a class; all before any logistic or softmax, with one exception:
// `new_coords` maps come out of the network through the logistic already.
struct DetectionLayer {
  enum class Kind : uint8_t { region, yolo };
  Kind kind = Kind::yolo;
  size_t output = 0;              // index into Model::outputs
  std::vector<Anchor> anchors{};  // those of this map: a [yolo] section's mask is applied
  std::vector<int32_t> mask{};    // which of the cfg's anchors they are
  int32_t classes = 1;
  int32_t coords = 4;       // always 4 for yolo
  bool softmax = false;     // region: classes by softmax; else each by a logistic
  bool new_coords = false;  // yolo, Scaled-YOLOv4: w is (2*w)^2 * anchor, not exp(w) * anchor
  float scale_x_y = 1.0F;   // yolo: x is logistic(x) * scale - (scale - 1)/2
};

struct DarknetModel {
  // Weights that batch normalisation was folded into, and what of the file they were.
  struct Folding {
    const std::byte* folded = nullptr;  // the constant's data
    FloatView from;
  };

  Model model;
  std::vector<DetectionLayer> detections;  // detections[i].output == i
  std::vector<Folding> foldings;
};

// For files whose model is named already, and for a .weights of which not all is there. What would
// be folded into the rest stays as it is read.
struct DarknetPart {
  ModelHash name;                                       // of the model that the whole files make
  std::function<bool(const FloatView& weights)> there;  // is this view into `weights`? empty: yes
};

struct DarknetLimits {
  size_t max_cfg_bytes = size_t{4} << 20;
  size_t max_sections = 10'000;
  size_t max_layers = 40'000;  // of the model: one section may make several
};

// Errors are one sentence that names line and section, e.g.
//   "line 120, [route] (layer 28): 'layers' names layer 40, and only layers 0 to 27 stand before"
Result<DarknetModel> read_darknet(std::string_view cfg, std::span<const std::byte> weights,
                                  const DarknetLimits& limits = {},
                                  const DarknetPart* part = nullptr);

// The name of the model that both files make: it changes with any byte of either.
ModelHash darknet_hash(std::string_view cfg, std::span<const std::byte> weights);
ModelHash darknet_hash(const Hash& cfg, const Hash& weights);  // of the files' own

}  // namespace shingle
