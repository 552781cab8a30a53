// YOLO11's heads for boxes, upright and turned, with the distributions of distances (DFL) that they
// decode.
#include <algorithm>

#include "tests/networks/exported/yolo11.hpp"

namespace shingle::networks::yolo11 {

namespace {

constexpr int64_t bins = 16;

// [1, 64 + classes, h * w]: distributions of four distances, then scores.
Value level(Exporter& to, const Value& x, int64_t classes) {
  Value box = conv_silu(to, conv_silu(to, x, {.channels = 64}), {.channels = 64});
  box = conv(to, box, {.channels = 4 * bins, .kernel = 1, .gain = score_gain});
  Value score = x;
  for (int i = 0; i < 2; ++i) {
    const int64_t channels = score.dims[1];
    score = conv_silu(to, score, {.channels = channels, .groups = channels});
    score = conv_silu(to, score, {.channels = std::max<int64_t>(64, classes), .kernel = 1});
  }
  score = conv(to, score, {.channels = classes, .kernel = 1, .gain = score_gain});
  return reshape(to, concat(to, {box, score}, 1), {1, 4 * bins + classes, -1});
}

// By box: the centre of its cell, in cells, and the stride.
struct Cells {
  Value centres, strides;
};

Cells cells_of(Exporter& to, const Pyramid& maps) {
  std::vector<float> xs, ys, strides;
  float stride = 8;
  for (const Value& map : maps) {
    for (int64_t y = 0; y < map.dims[2]; ++y) {
      for (int64_t x = 0; x < map.dims[3]; ++x) {
        xs.push_back(static_cast<float>(x) + 0.5F);
        ys.push_back(static_cast<float>(y) + 0.5F);
        strides.push_back(stride);
      }
    }
    stride *= 2;
  }
  const int64_t boxes = std::ssize(strides);
  xs.insert(xs.end(), ys.begin(), ys.end());
  return {to.floats({1, 2, boxes}, xs), to.floats({1, boxes}, strides)};
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

struct Heads {
  Value distances, scores;  // [1, 4, boxes], in cells; [1, classes, boxes]
};

Heads heads(Exporter& to, const Pyramid& maps, int64_t classes) {
  std::vector<Value> levels;
  for (const Value& map : maps) levels.push_back(level(to, map, classes));
  const std::vector<Value> parts = split(to, concat(to, levels, 2), 1, {4 * bins, classes});
  const Value distances = expected_distances(to, parts[0]);
  return {distances, unary(to, "Sigmoid", parts[1])};
}

Value upright(Exporter& to, const Value& distances, const Cells& cells) {
  const Value first = slice(to, distances, 1, 0, 2), second = slice(to, distances, 1, 2, 4);
  const Value low = binary(to, "Sub", cells.centres, first);
  const Value high = add(to, cells.centres, second);
  const Value centre = binary(to, "Div", add(to, low, high), to.scalar(2.0F));
  const Value size = binary(to, "Sub", high, low);
  return mul(to, concat(to, {centre, size}, 1), cells.strides);
}

// The offset of the centre is turned by the angle, the size is not.
Value turned(Exporter& to, const Value& distances, const Value& angle, const Cells& cells) {
  const std::vector<Value> sides = split(to, distances, 1, {2, 2});
  const Value cosine = unary(to, "Cos", angle), sine = unary(to, "Sin", angle);
  const Value difference = binary(to, "Sub", sides[1], sides[0]);
  const Value half = binary(to, "Div", difference, to.scalar(2.0F));
  const std::vector<Value> offset = split(to, half, 1, {1, 1});
  const Value x = binary(to, "Sub", mul(to, offset[0], cosine), mul(to, offset[1], sine));
  const Value y = add(to, mul(to, offset[0], sine), mul(to, offset[1], cosine));
  const Value centre = add(to, concat(to, {x, y}, 1), cells.centres);
  return mul(to, concat(to, {centre, add(to, sides[0], sides[1])}, 1), cells.strides);
}

}  // namespace

Value beside(Exporter& to, const Pyramid& maps, const Beside& branch) {
  std::vector<Value> levels;
  for (const Value& map : maps) {
    Value y = conv_silu(to, map, {.channels = branch.inner});
    y = conv(to, conv_silu(to, y, {.channels = branch.inner}),
             {.channels = branch.channels, .kernel = 1, .gain = score_gain});
    levels.push_back(reshape(to, y, {1, branch.channels, -1}));
  }
  return concat(to, levels, 2);
}

Value detect(Exporter& to, const Pyramid& maps) {
  const Heads found = heads(to, maps, 80);
  return concat(to, {upright(to, found.distances, cells_of(to, maps)), found.scores}, 1);
}

Value detect_turned(Exporter& to, const Pyramid& maps) {
  constexpr float pi = 3.14159265F;
  const Value share = unary(to, "Sigmoid", beside(to, maps, {16, 1}));
  const Value angle =
      mul(to, binary(to, "Sub", share, to.scalar(0.25F)), to.scalar(pi));  // -pi/4 to 3pi/4
  const Heads found = heads(to, maps, 15);
  const Value boxes = turned(to, found.distances, angle, cells_of(to, maps));
  return concat(to, {boxes, found.scores, angle}, 1);
}

}  // namespace shingle::networks::yolo11
