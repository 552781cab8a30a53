// DeepLabV3 on a dilated MobileNetV3 for 21 classes, as torchvision's is exported.
#include "tests/networks/exported/builders.hpp"
#include "tests/networks/exported/mobilenetv3.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t channels = 256, classes = 21;

// Atrous spatial pyramid pooling.
Value pyramid(Exporter& to, const Value& x) {
  std::vector<Value> parts{relu(to, conv(to, x, {.channels = channels, .kernel = 1}))};
  for (const int64_t rate : {12, 24, 36})
    parts.push_back(relu(to, conv(to, x, {.channels = channels, .dilation = rate})));
  const Value pooled =
      relu(to, conv(to, global_average(to, x), {.channels = channels, .kernel = 1}));
  parts.push_back(resize_linear(to, pooled, x.dims[2], x.dims[3]));
  return relu(to, conv(to, concat(to, parts, 1), {.channels = channels, .kernel = 1}));
}

}  // namespace

void export_deeplabv3_mobilenet(Exporter& to, const Value& x) {
  Value y = pyramid(to, mobilenetv3_features(to, x, true));
  y = relu(to, conv(to, y, {.channels = channels}));
  y = conv(to, y, {.channels = classes, .kernel = 1});
  to.output(resize_linear(to, y, x.dims[2], x.dims[3]));
}

}  // namespace shingle::networks
