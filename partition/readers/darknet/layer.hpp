// LayerBuilder: turns one section into layers of the model. Like Section it keeps the first error
// and continues with a harmless value; the caller asks the section at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/readers/darknet/section.hpp"
#include "partition/readers/darknet/weights.hpp"

namespace shingle::darknet {

// The model so far. REQUIRES: one input.
struct Network {
  Model model;
  std::vector<DetectionLayer> detections;
  // By index of the cfg's layers: the output map of each; none for a detection.
  std::vector<std::optional<TensorId>> maps;
  Weights weights;
  const DarknetPart* part = nullptr;  // null: all weights are there
  std::vector<DarknetModel::Folding> foldings{};
};

class LayerBuilder {
 public:
  LayerBuilder(Network& network, Section& section) : network_(network), section_(section) {}

  Section& section() { return section_; }
  Network& network() { return network_; }
  Shape shape(TensorId map) const { return network_.model.at(map).shape; }
  std::string name() const;  // "route_28"

  TensorId input();                                // the output map of the layer before
  std::vector<TensorId> maps(const char* option);  // the maps of the layers that an option lists

  TensorId emit(Operator op, std::vector<TensorId> inputs, Activation activation = {});
  // For operators whose output shape the file decides.
  TensorId emit(Operator op, std::vector<TensorId> inputs, Shape output);

  Activation activation(std::string_view usual);

 private:
  TensorId map_of(int64_t layer);
  std::string next_name();

  Network& network_;
  Section& section_;
  int32_t emitted_ = 0;
};

// One function for each kind of section. Returns none for a detection, which has no output map.
std::optional<TensorId> convolutional(LayerBuilder& layer);
std::optional<TensorId> connected(LayerBuilder& layer);
std::optional<TensorId> maxpool(LayerBuilder& layer);
std::optional<TensorId> avgpool(LayerBuilder& layer);
std::optional<TensorId> softmax(LayerBuilder& layer);
std::optional<TensorId> upsample(LayerBuilder& layer);
std::optional<TensorId> route(LayerBuilder& layer);
std::optional<TensorId> shortcut(LayerBuilder& layer);
std::optional<TensorId> scale_channels(LayerBuilder& layer);
std::optional<TensorId> sam(LayerBuilder& layer);
std::optional<TensorId> reorg(LayerBuilder& layer);
std::optional<TensorId> reorg3d(LayerBuilder& layer);
std::optional<TensorId> region(LayerBuilder& layer);
std::optional<TensorId> yolo(LayerBuilder& layer);

}  // namespace shingle::darknet
