// Sections that pool, select, concatenate or combine maps.
#include "partition/model/shape.hpp"
#include "partition/readers/darknet/layer.hpp"

namespace shingle::darknet {

namespace {

constexpr int32_t largest_kernel = 1 << 10;

// One part of a map's channels.
TensorId part_of(LayerBuilder& layer, TensorId map, int32_t groups, int32_t group) {
  const Shape shape = layer.shape(map);
  if (groups == 1) return map;
  if (shape.c % groups != 0) {
    layer.section().refuse("the " + std::to_string(shape.c) + " channels that it reads do not " +
                           "divide into " + std::to_string(groups) + " groups");
  }
  const int32_t channels = shape.c / groups;
  return layer.emit(StridedSlice{.begin = {0, 0, group * channels}}, {map},
                    Shape{shape.h, shape.w, channels});
}

void refuse_shapes(LayerBuilder& layer, TensorId a, TensorId b, const char* wanted) {
  layer.section().refuse("it combines maps of " + to_string(layer.shape(a)) + " and " +
                         to_string(layer.shape(b)) + ", and should find " + wanted);
}

}  // namespace

// Darknet pads maps by size - 1 in total, the smaller half in front; output = (w + padding - size)
// / stride + 1, rounded down. So 2x2 with stride 1 reads one pixel beyond the far edge and keeps
// the size, and 2x2 with stride 2 rounds odd sizes up (maxpool_layer.c).
std::optional<TensorId> maxpool(LayerBuilder& layer) {
  Section& section = layer.section();
  for (const char* key : {"antialiasing", "maxpool_depth"}) section.insist(key, 0.0F);
  const int32_t stride = section.integer("stride", 1, {1, max_window});
  const int32_t size = section.integer("size", stride, {1, largest_kernel});
  // With more padding, a window could lie wholly off the map, where there is no largest value.
  const int32_t padding = section.integer("padding", size - 1, {0, 2 * (size - 1)});
  const auto along = [&](const char* key) {
    return Window{.kernel = size,
                  .stride = section.integer(key, stride, {1, max_window}),
                  .dilation = 1,
                  .pad_begin = padding / 2,
                  .pad_end = padding - padding / 2};
  };
  const Window y = along("stride_y"), x = along("stride_x");
  return layer.emit(Pooling{.kind = Pooling::Kind::max, .y = y, .x = x}, {layer.input()});
}

std::optional<TensorId> avgpool(LayerBuilder& layer) {
  // Along y last, as the reader of ONNX does: a node then reduces its own rows.
  const TensorId rows =
      layer.emit(Reduction{.kind = Reduction::Kind::mean, .x = true}, {layer.input()});
  return layer.emit(Reduction{.kind = Reduction::Kind::mean, .y = true}, {rows});
}

std::optional<TensorId> softmax(LayerBuilder& layer) {
  Section& section = layer.section();
  for (const char* key : {"groups", "temperature"}) section.insist(key, 1.0F);
  if (section.has("tree")) section.refuse("shingle does not read class trees");
  const Shape shape = layer.shape(layer.input());
  if (shape.h != 1 || shape.w != 1) {
    section.refuse("it reads a map of " + to_string(shape) + ", and shingle takes one pixel");
  }
  return layer.emit(Softmax{Axis::c}, {layer.input()});
}

std::optional<TensorId> upsample(LayerBuilder& layer) {
  layer.section().insist("scale", 1.0F);
  const auto factor = static_cast<float>(layer.section().integer("stride", 2, {1, max_window}));
  return layer.emit(Resize{.kind = Resize::Kind::nearest,
                           .coordinates = Resize::Coordinates::asymmetric,
                           .rounding = Resize::Rounding::floor,
                           .scale_y = factor,
                           .scale_x = factor},
                    {layer.input()});
}

// One map is passed on unchanged; several are concatenated along the channels.
std::optional<TensorId> route(LayerBuilder& layer) {
  std::vector<TensorId> maps = layer.maps("layers");
  const int32_t groups = layer.section().integer("groups", 1, {1, max_window});
  const int32_t group = layer.section().integer("group_id", 0, {0, groups - 1});
  for (TensorId& map : maps) map = part_of(layer, map, groups, group);
  if (maps.size() == 1) return maps[0];
  return layer.emit(Concat{Axis::c}, maps);
}

std::optional<TensorId> shortcut(LayerBuilder& layer) {
  const std::string_view weighted = layer.section().text("weights_type", "none");
  if (weighted != "none") layer.section().refuse("shingle does not read weighted shortcuts");
  const Activation activation = layer.activation("linear");
  const std::vector<TensorId> maps = layer.maps("from");
  TensorId sum = layer.input();
  for (const TensorId& map : maps) {
    if (layer.shape(map) != layer.shape(sum)) refuse_shapes(layer, sum, map, "two of one size");
    sum = layer.emit(Binary{Binary::Kind::add}, {sum, map},
                     &map == &maps.back() ? activation : Activation{});
  }
  return sum;
}

// The map that `from` names; each channel is multiplied by the one pixel of the map before.
std::optional<TensorId> scale_channels(LayerBuilder& layer) {
  layer.section().insist("scale_wh", 0.0F);
  const Activation activation = layer.activation("linear");
  const TensorId map = layer.maps("from")[0], scales = layer.input();
  if (layer.shape(scales) != Shape{1, 1, layer.shape(map).c}) {
    refuse_shapes(layer, scales, map, "one pixel of as many channels before it");
  }
  return layer.emit(Binary{Binary::Kind::mul}, {map, scales}, activation);
}

std::optional<TensorId> sam(LayerBuilder& layer) {
  const Activation activation = layer.activation("linear");
  const TensorId map = layer.maps("from")[0], mask = layer.input();
  if (layer.shape(mask) != layer.shape(map)) refuse_shapes(layer, mask, map, "two of one size");
  return layer.emit(Binary{Binary::Kind::mul}, {mask, map}, activation);
}

}  // namespace shingle::darknet
