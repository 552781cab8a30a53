// The Darknet reader: makes a Model of the text of a .cfg, which describes the layers, and the
// bytes of its .weights. It opens no file, bounds every size and throws nothing. Weights are views
// into `weights`, which must outlive the model; weights that batch normalisation is folded into are
// copies.
//
// The model's outputs are the raw maps that the cfg's [region] and [yolo] sections read, in the
// order of the cfg; DetectionLayer says how to decode each. A cfg without such sections has one
// output, that of its last layer. The input is three planes (red, green, blue); each element is
// v/255. What is read, and by which rules: docs/use/darknet.md.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle {

// A reference box of a detection map; each cell predicts boxes relative to it.
struct Anchor {
  float width = 1.0F, height = 1.0F;  // pixels of the model's input, for both kinds
  friend bool operator==(const Anchor&, const Anchor&) = default;
};

// One [region] (YOLOv2) or [yolo] (YOLOv3, v4) section. Its map [1, anchors * (coords + 1 +
// classes), h, w] holds for each anchor the channels x, y, w, h (`coords` of them), then
// objectness, then one score per class. All are values before any logistic or softmax, except for
// `new_coords`: there the network has already applied the logistic.
struct DetectionLayer {
  enum class Kind : uint8_t { region, yolo };
  Kind kind = Kind::yolo;
  size_t output = 0;              // index into Model::outputs
  std::vector<Anchor> anchors{};  // those of this map, after a [yolo] section's mask is applied
  std::vector<int32_t> mask{};    // indices of these anchors in the cfg
  int32_t classes = 1;
  int32_t coords = 4;       // always 4 for yolo
  bool softmax = false;     // region: class scores by softmax; otherwise each by a logistic
  bool new_coords = false;  // yolo, Scaled-YOLOv4: w is (2*w)^2 * anchor, not exp(w) * anchor
  float scale_x_y = 1.0F;   // yolo: x is logistic(x) * scale - (scale - 1)/2
};

struct DarknetModel {
  // Weights that batch normalisation was folded into, and the bytes of the file that they replace.
  struct Folding {
    const std::byte* folded = nullptr;  // the constant's data
    FloatView from;
  };

  Model model;
  std::vector<DetectionLayer> detections;  // detections[i].output == i
  std::vector<Folding> foldings;
};

// For files whose model already has a name, and for a .weights of which only a part is there.
// Weights that are not there are not folded; they stay as they are read.
struct DarknetPart {
  ModelHash name;  // the name of the model that the whole files make
  std::function<bool(const FloatView& weights)>
      there;  // is this view into `weights` there? empty: all are
};

struct DarknetLimits {
  size_t max_cfg_bytes = size_t{4} << 20;
  size_t max_sections = 10'000;
  size_t max_layers = 40'000;  // of the model; one section may make several layers
};

// Errors are one sentence that names line and section, e.g.
//   "line 120, [route] (layer 28): 'layers' names layer 40, and only layers 0 to 27 come before it"
Result<DarknetModel> read_darknet(std::string_view cfg, std::span<const std::byte> weights,
                                  const DarknetLimits& limits = {},
                                  const DarknetPart* part = nullptr);

// The name of the model that both files make. It changes with any byte of either file.
ModelHash darknet_hash(std::string_view cfg, std::span<const std::byte> weights);
ModelHash darknet_hash(const Hash& cfg, const Hash& weights);  // from the hashes of the two files

}  // namespace shingle
