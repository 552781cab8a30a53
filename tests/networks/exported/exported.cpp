#include "tests/networks/exported/exported.hpp"

#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

struct Network {
  const char* name;
  void (*build)(Exporter&, const Value&);
  int32_t usual_size, small_size;
  int64_t channels = 3;
};
constexpr Network networks[] = {
    {"vit_tiny", export_vit_tiny, 224, 32},
    {"espcn", export_espcn, 224, 16, 1},
    {"unet", export_unet, 256, 32},
    {"yolo11n", export_yolo11n, 640, 64},
    {"mobilenetv3", export_mobilenetv3, 224, 32},
    {"efficientnet_b0", export_efficientnet_b0, 224, 32},
    {"convnext_tiny", export_convnext_tiny, 224, 32},
    {"deit_small", export_deit_small, 224, 32},
    {"yolo11n_seg", export_yolo11n_seg, 640, 64},
    {"yolo11n_obb", export_yolo11n_obb, 1024, 64},
    {"mobilevit_s", export_mobilevit_s, 256, 64},
    {"segformer_b0", export_segformer_b0, 512, 64},
    {"deeplabv3_mobilenet", export_deeplabv3_mobilenet, 512, 64},
    {"midas_small", export_midas_small, 256, 64},
    {"dbnet", export_dbnet, 640, 64},
};

}  // namespace

const std::vector<ExportedName>& exported_names() {
  static const std::vector<ExportedName> names = [] {
    std::vector<ExportedName> all;
    for (const Network& network : networks)
      all.push_back({network.name, network.usual_size, network.small_size});
    return all;
  }();
  return names;
}

Result<Exported> exported(std::string_view name, const ExportOptions& options) {
  for (const Network& network : networks) {
    if (network.name != name) continue;
    const int64_t size = options.size > 0 ? options.size : network.usual_size;
    if (size % network.small_size != 0) {
      return Error{"the size of " + std::string(name) + " must be a multiple of " +
                   std::to_string(network.small_size)};
    }
    Exporter to(options.opset, options.seed);
    network.build(to, to.input({1, network.channels, size, size}));
    return to.finish();
  }
  return Error{"there is no exported network '" + std::string(name) + "'"};
}

}  // namespace shingle::networks
