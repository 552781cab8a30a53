#include "tests/networks/darknet.hpp"

namespace shingle::networks {

namespace {

constexpr int32_t coco_classes = 80;
constexpr std::string_view anchors_v2 =
    "0.57273,0.677385, 1.87446,2.06253, 3.33843,5.47434, 7.88282,3.52778, 9.77052,9.16828";
constexpr std::string_view anchors_v3 =
    "10,13, 16,30, 33,23, 30,61, 62,45, 59,119, 116,90, 156,198, 373,326";
constexpr std::string_view anchors_tiny = "10,14, 23,27, 37,58, 81,82, 135,169, 344,319";

void conv(DarknetWriter& writer, int32_t filters, int32_t size = 3, int32_t stride = 1) {
  writer.convolutional({.filters = filters, .size = size, .stride = stride});
}

// Alternates 1x1 convolutions with half the filters and 3x3 convolutions with all filters.
void squeezed(DarknetWriter& writer, int32_t filters, int32_t pairs) {
  for (int32_t pair = 0; pair < pairs; ++pair) {
    conv(writer, filters / 2, 1);
    conv(writer, filters);
  }
}

void raw_map(DarknetWriter& writer, int32_t anchors) {
  writer.convolutional({.filters = anchors * (5 + coco_classes),
                        .size = 1,
                        .normalise = false,
                        .activation = "linear"});
}

void region(DarknetWriter& writer) {
  raw_map(writer, 5);
  writer.section("region", "anchors = " + std::string(anchors_v2) +
                               "\nbias_match=1\nclasses=80\ncoords=4\nnum=5\nsoftmax=1");
}

void yolo(DarknetWriter& writer, std::string_view mask, std::string_view anchors, int32_t num,
          std::string_view more = "") {
  raw_map(writer, 3);
  writer.section("yolo", "mask = " + std::string(mask) + "\nanchors = " + std::string(anchors) +
                             "\nclasses=80\nnum=" + std::to_string(num) + std::string(more));
}

void yolov2(DarknetWriter& writer) {
  conv(writer, 32);
  writer.maxpool(2, 2);
  conv(writer, 64);
  for (const int32_t filters : {128, 256}) {
    writer.maxpool(2, 2);
    conv(writer, filters);
    squeezed(writer, filters, 1);
  }
  for (const int32_t filters : {512, 1024}) {
    writer.maxpool(2, 2);
    conv(writer, filters);
    squeezed(writer, filters, 2);
  }
  conv(writer, 1024);
  conv(writer, 1024);
  writer.route({-9});  // layer 16
  conv(writer, 64, 1);
  writer.reorg(2);
  writer.route({-1, -4});
  conv(writer, 1024);
  region(writer);
}

void tiny_front(DarknetWriter& writer) {
  conv(writer, 16);
  for (const int32_t filters : {32, 64, 128, 256, 512}) {
    writer.maxpool(2, 2);
    conv(writer, filters);
  }
  writer.maxpool(2, 1);
  conv(writer, 1024);
}

void yolov2_tiny(DarknetWriter& writer) {
  tiny_front(writer);
  conv(writer, 512);
  region(writer);
}

void residuals(DarknetWriter& writer, int32_t filters, int32_t count) {
  conv(writer, filters, 3, 2);
  for (int32_t i = 0; i < count; ++i) {
    conv(writer, filters / 2, 1);
    writer.convolutional({.filters = filters, .gain = 0.5F});
    writer.shortcut(-3);
  }
}

void head_of_yolov3(DarknetWriter& writer, int32_t filters, std::string_view mask) {
  squeezed(writer, filters, 3);
  yolo(writer, mask, anchors_v3, 9);
}

void to_finer_map(DarknetWriter& writer, int32_t filters, int32_t route) {
  writer.route({-4});
  conv(writer, filters, 1);
  writer.upsample(2);
  writer.route({-1, route});
}

void yolov3(DarknetWriter& writer) {
  conv(writer, 32);
  residuals(writer, 64, 1);
  residuals(writer, 128, 2);
  residuals(writer, 256, 8);
  residuals(writer, 512, 8);
  residuals(writer, 1024, 4);
  head_of_yolov3(writer, 1024, "6,7,8");
  to_finer_map(writer, 256, 61);
  head_of_yolov3(writer, 512, "3,4,5");
  to_finer_map(writer, 128, 36);
  head_of_yolov3(writer, 256, "0,1,2");
}

void yolov3_tiny(DarknetWriter& writer) {
  tiny_front(writer);
  conv(writer, 256, 1);
  conv(writer, 512);
  yolo(writer, "3,4,5", anchors_tiny, 6);
  to_finer_map(writer, 128, 8);
  conv(writer, 256);
  yolo(writer, "0,1,2", anchors_tiny, 6);
}

// A stage of YOLOv4-tiny: half of the channels pass two convolutions, then all are concatenated.
void partial_stage(DarknetWriter& writer, int32_t filters) {
  conv(writer, filters);
  writer.route({-1}, 2, 1);
  conv(writer, filters / 2);
  conv(writer, filters / 2);
  writer.route({-1, -2});
  conv(writer, filters, 1);
  writer.route({-6, -1});
  writer.maxpool(2, 2);
}

void yolov4_tiny(DarknetWriter& writer) {
  conv(writer, 32, 3, 2);
  conv(writer, 64, 3, 2);
  for (const int32_t filters : {64, 128, 256}) partial_stage(writer, filters);
  conv(writer, 512);
  conv(writer, 256, 1);
  conv(writer, 512);
  yolo(writer, "3,4,5", anchors_tiny, 6, "\nscale_x_y=1.05");
  to_finer_map(writer, 128, 23);
  conv(writer, 256);
  yolo(writer, "0,1,2", anchors_tiny, 6, "\nscale_x_y=1.05");
}

// A few thousand weights, for tests of files.
void tiny(DarknetWriter& writer) {
  conv(writer, 8);
  writer.maxpool(2, 2);
  conv(writer, 16);
  yolo(writer, "0,1,2", anchors_tiny, 6);
}

struct Named {
  const char* name;
  void (*write)(DarknetWriter&);
};

constexpr Named all[] = {{"yolov2", yolov2},           {"yolov2_tiny", yolov2_tiny},
                         {"yolov3", yolov3},           {"yolov3_tiny", yolov3_tiny},
                         {"yolov4_tiny", yolov4_tiny}, {"tiny", tiny}};

}  // namespace

std::vector<std::string> darknet_names() {
  std::vector<std::string> list;
  for (const Named& named : all) list.emplace_back(named.name);
  return list;
}

Result<DarknetFiles> make_darknet(std::string_view name, int32_t size, uint64_t seed) {
  if (size == 0) size = 416;
  if (size < 32 || size > 4096 || size % 32 != 0) {
    return Error{"Darknet networks take sizes that are multiples of 32 up to 4096, not " +
                 std::to_string(size)};
  }
  for (const Named& named : all) {
    if (name != named.name) continue;
    DarknetWriter writer({size, size, 3}, seed);
    named.write(writer);
    return std::move(writer).finish();
  }
  return Error{"there is no Darknet network '" + std::string(name) + "'"};
}

}  // namespace shingle::networks
