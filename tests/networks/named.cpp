#include "tests/networks/named.hpp"

namespace shingle::networks {

namespace {

struct Named {
  const char* name;
  void (*build)(Builder&, int32_t size);
  int32_t usual_size;
  int32_t multiple;  // the network's strides divide this size
};

constexpr Named all[] = {
    {"yolov2_front", build_yolov2_front, 608, 16},
    {"yolov2", build_yolov2, 608, 32},
    {"yolov3_tiny", build_yolov3_tiny, 416, 32},
    {"resnet18", build_resnet18, 224, 32},
    {"resnet50", build_resnet50, 224, 32},
    {"mobilenetv2", build_mobilenetv2, 224, 32},
    {"unet", build_unet, 256, 16},
    {"yolov8n", build_yolov8n, 640, 32},
    {"vgg16", build_vgg16, 224, 32},
    {"tiny", build_tiny, 32, 2},
};

constexpr int32_t largest_size = 4096;

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const Named& named : all) list.emplace_back(named.name);
  return list;
}

Result<Model> make(std::string_view name, int32_t size, uint64_t seed) {
  for (const Named& named : all) {
    if (name != named.name) continue;
    if (size == 0) size = named.usual_size;
    if (size < named.multiple || size > largest_size || size % named.multiple != 0) {
      return Error{"network '" + std::string(name) + "' takes sizes that are multiples of " +
                   std::to_string(named.multiple) + " up to " + std::to_string(largest_size) +
                   ", not " + std::to_string(size)};
    }
    Builder builder(seed);
    named.build(builder, size);
    return std::move(builder).finish("network " + std::string(name) + " " + std::to_string(size) +
                                     " " + std::to_string(seed));
  }
  return Error{"there is no network '" + std::string(name) + "'"};
}

void build_tiny(Builder& builder, int32_t size) {
  TensorId x = builder.input({size, size, 3});
  x = builder.convolution(x, {.channels = 8, .activation = leaky});
  x = builder.convolution(x, {.channels = 16, .stride = 2, .activation = leaky});
  builder.output(builder.convolution(x, {.channels = 8}));
}

}  // namespace shingle::networks
