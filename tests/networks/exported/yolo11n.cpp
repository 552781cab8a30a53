// YOLO11n for boxes, for boxes with masks, and for turned boxes.
#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/yolo11.hpp"

namespace shingle::networks {

namespace {

using yolo11::conv_silu;
constexpr int64_t masks = 32;

Value prototypes(Exporter& to, const Value& map) {
  constexpr int64_t channels = 64;
  Value y = transposed_conv(to, conv_silu(to, map, {.channels = channels}), channels);
  y = conv_silu(to, y, {.channels = channels});
  return conv_silu(to, y, {.channels = masks, .kernel = 1});
}

}  // namespace

void export_yolo11n(Exporter& to, const Value& x) {
  to.output(yolo11::detect(to, yolo11::backbone_and_neck(to, x)));
}

void export_yolo11n_seg(Exporter& to, const Value& x) {
  const yolo11::Pyramid maps = yolo11::backbone_and_neck(to, x);
  const Value protos = prototypes(to, maps[0]);
  const Value factors = yolo11::beside(to, maps, {masks, masks});
  to.output(concat(to, {yolo11::detect(to, maps), factors}, 1));
  to.output(protos);
}

void export_yolo11n_obb(Exporter& to, const Value& x) {
  to.output(yolo11::detect_turned(to, yolo11::backbone_and_neck(to, x)));
}

}  // namespace shingle::networks
