#include "tests/networks/exported/exported.hpp"

#include <algorithm>

#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

// Of the years 2021, 2022 and 2024: what exporters write by default has moved among these.
const std::vector<int64_t> usual_opsets{13, 18, 22};

struct Network {
  const char* name;
  void (*build)(Exporter&, const Value&);
  int32_t usual_size, small_size;
  Dims input{1, 3, 0, 0};  // 0: the size
  std::vector<int64_t> opsets = usual_opsets;
};

// Transformers at 24 have its Attention, RMSNormalization and Swish.
const std::vector<Network>& networks() {
  static const std::vector<Network> all{
      {"vit_tiny", export_vit_tiny, 224, 32, {1, 3, 0, 0}, {13, 18, 22, 24}},
      {"espcn", export_espcn, 224, 16, {1, 1, 0, 0}},
      {"unet", export_unet, 256, 32},
      {"yolo11n", export_yolo11n, 640, 64},
      {"yolo26n", export_yolo26n, 640, 64},
      {"mobilenetv3", export_mobilenetv3, 224, 32},
      {"efficientnet_b0", export_efficientnet_b0, 224, 32},
      {"convnext_tiny", export_convnext_tiny, 224, 32},
      {"deit_small", export_deit_small, 224, 32, {1, 3, 0, 0}, {13, 18, 22, 24}},
      {"yolo11n_seg", export_yolo11n_seg, 640, 64},
      {"yolo11n_obb", export_yolo11n_obb, 1024, 64},
      {"rtdetr_r18", export_rtdetr_r18, 640, 64, {1, 3, 0, 0}, {18, 22}},
      {"mobilevit_s", export_mobilevit_s, 256, 64},
      {"segformer_b0", export_segformer_b0, 512, 64},
      {"deeplabv3_mobilenet", export_deeplabv3_mobilenet, 512, 64},
      {"midas_small", export_midas_small, 256, 64},
      {"dbnet", export_dbnet, 640, 64},
      {"crnn", export_crnn, 320, 32, {1, 1, 32, 0}},
  };
  return all;
}

}  // namespace

const std::vector<ExportedName>& exported_names() {
  static const std::vector<ExportedName> names = [] {
    std::vector<ExportedName> all;
    for (const Network& network : networks())
      all.push_back({network.name, network.usual_size, network.small_size, network.opsets});
    return all;
  }();
  return names;
}

Result<Exported> exported(std::string_view name, const ExportOptions& options) {
  for (const Network& network : networks()) {
    if (network.name != name) continue;
    const int64_t size = options.size > 0 ? options.size : network.usual_size;
    if (size % network.small_size != 0) {
      return Error{"the size of " + std::string(name) + " must be a multiple of " +
                   std::to_string(network.small_size)};
    }
    if (options.opset < network.opsets[0]) {
      return Error{"opset " + std::to_string(options.opset) + " has not all operators of " +
                   std::string(name)};
    }
    Dims input = network.input;
    std::replace(input.begin(), input.end(), int64_t{0}, size);
    Exporter to(options.opset, options.seed);
    network.build(to, to.input(input));
    return to.finish(options.selection);
  }
  return Error{"there is no exported network '" + std::string(name) + "'"};
}

}  // namespace shingle::networks
