// YOLO11's detection head with the distribution of distances (DFL) that it decodes.
#include "tests/networks/exported/yolo11.hpp"

namespace shingle::networks::yolo11 {

namespace {

constexpr int64_t classes = 80, bins = 16;

// [1, 144, h * w]: distributions of four distances, then scores.
Value level(Exporter& to, const Value& x) {
  Value box = conv_silu(to, conv_silu(to, x, {.channels = 64}), {.channels = 64});
  box = conv(to, box, {.channels = 4 * bins, .kernel = 1});
  Value score = x;
  for (int i = 0; i < 2; ++i) {
    const int64_t channels = score.dims[1];
    score = conv_silu(to, score, {.channels = channels, .groups = channels});
    score = conv_silu(to, score, {.channels = 80, .kernel = 1});
  }
  score = conv(to, score, {.channels = classes, .kernel = 1});
  return reshape(to, concat(to, {box, score}, 1), {1, 4 * bins + classes, -1});
}

struct Cells {
  std::vector<float> x, y, stride;
};

Cells cells_of(const Pyramid& maps) {
  Cells cells;
  float stride = 8;
  for (const Value& map : maps) {
    for (int64_t y = 0; y < map.dims[2]; ++y) {
      for (int64_t x = 0; x < map.dims[3]; ++x) {
        cells.x.push_back(static_cast<float>(x) + 0.5F);
        cells.y.push_back(static_cast<float>(y) + 0.5F);
        cells.stride.push_back(stride);
      }
    }
    stride *= 2;
  }
  return cells;
}

// The expected distance of each distribution: [1, 64, boxes] to [1, 4, boxes].
Value expected_distances(Exporter& to, const Value& x) {
  const int64_t boxes = x.dims[2];
  const Value turned = transpose(to, reshape(to, x, {1, 4, bins, boxes}), {0, 2, 1, 3});
  std::vector<float> numbers;
  for (int i = 0; i < bins; ++i) numbers.push_back(static_cast<float>(i));
  const Value mean = to.node("Conv", {softmax(to, turned, 1), to.floats({1, bins, 1, 1}, numbers)},
                             {{"dilations", Dims{1, 1}},
                              {"group", int64_t{1}},
                              {"kernel_shape", Dims{1, 1}},
                              {"pads", Dims(4, 0)},
                              {"strides", Dims{1, 1}}},
                             {1, 1, 4, boxes});
  return reshape(to, mean, {1, 4, boxes});
}

Value boxes_of(Exporter& to, const Value& distances, const Cells& cells) {
  const int64_t boxes = distances.dims[2];
  std::vector<float> places = cells.x;
  places.insert(places.end(), cells.y.begin(), cells.y.end());
  const Value anchors = to.floats({1, 2, boxes}, places);
  const Value first = slice(to, distances, 1, 0, 2), second = slice(to, distances, 1, 2, 4);
  const Value low = binary(to, "Sub", anchors, first), high = add(to, anchors, second);
  const Value centre = binary(to, "Div", add(to, low, high), to.scalar(2.0F));
  const Value size = binary(to, "Sub", high, low);
  return mul(to, concat(to, {centre, size}, 1), to.floats({1, boxes}, cells.stride));
}

}  // namespace

Value detect(Exporter& to, const Pyramid& maps) {
  std::vector<Value> levels;
  for (const Value& map : maps) levels.push_back(level(to, map));
  const std::vector<Value> parts = split(to, concat(to, levels, 2), 1, {4 * bins, classes});
  const Value boxes = boxes_of(to, expected_distances(to, parts[0]), cells_of(maps));
  return concat(to, {boxes, unary(to, "Sigmoid", parts[1])}, 1);
}

}  // namespace shingle::networks::yolo11
