// YOLO11n for boxes, for boxes with masks, and for turned boxes; YOLO26n end to end.
#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/yolo.hpp"

namespace shingle::networks {

namespace {

using yolo::conv_silu;
constexpr int64_t masks = 32;

Value prototypes(Exporter& to, const Value& map) {
  constexpr int64_t channels = 64;
  Value y = transposed_conv(to, conv_silu(to, map, {.channels = channels}), channels);
  y = conv_silu(to, y, {.channels = channels});
  return conv_silu(to, y, {.channels = masks, .kernel = 1});
}

}  // namespace

void export_yolo11n(Exporter& to, const Value& x) {
  to.output(yolo::detect(to, yolo::backbone_and_neck(to, x, yolo::Version::yolo11)));
}

void export_yolo11n_seg(Exporter& to, const Value& x) {
  const yolo::Pyramid maps = yolo::backbone_and_neck(to, x, yolo::Version::yolo11);
  const Value protos = prototypes(to, maps[0]);
  const Value factors = yolo::beside(to, maps, {masks, masks});
  to.output(concat(to, {yolo::detect(to, maps), factors}, 1));
  to.output(protos);
}

void export_yolo11n_obb(Exporter& to, const Value& x) {
  to.output(yolo::detect_turned(to, yolo::backbone_and_neck(to, x, yolo::Version::yolo11)));
}

void export_yolo26n(Exporter& to, const Value& x) {
  to.output(yolo::detect_end_to_end(to, yolo::backbone_and_neck(to, x, yolo::Version::yolo26)));
}

}  // namespace shingle::networks
