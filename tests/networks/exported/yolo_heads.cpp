// The heads for boxes: YOLO11's, upright and turned, with the distributions of distances (DFL) that
// they decode; and YOLO26's, which has plain distances and ends in a list.
#include <algorithm>

#include "tests/networks/exported/selection.hpp"
#include "tests/networks/exported/yolo.hpp"

namespace shingle::networks::yolo {

namespace {

constexpr int64_t bins = 16;

Value branch_of(Exporter& to, const Value& x, const Branch& branch) {
  Value y = conv_silu(to, x, {.channels = branch.inner});
  y = conv_silu(to, y, {.channels = branch.inner});
  return conv(
      to, y, {.channels = branch.channels, .kernel = 1, .gain = score_gain, .shift = branch.shift});
}

Value scores_of(Exporter& to, const Value& x, const Branch& branch) {
  Value y = x;
  for (int i = 0; i < 2; ++i) {
    y = conv_silu(to, y, {.channels = y.dims[1], .groups = y.dims[1]});
    y = conv_silu(to, y, {.channels = branch.inner, .kernel = 1});
  }
  return conv(
      to, y, {.channels = branch.channels, .kernel = 1, .gain = score_gain, .shift = branch.shift});
}

// [1, 64 + classes, h * w]: distributions of four distances, then scores.
Value level(Exporter& to, const Value& x, int64_t classes) {
  const Value box = branch_of(to, x, {64, 4 * bins});
  const Value score = scores_of(to, x, {std::max<int64_t>(64, classes), classes});
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

// A list of the best pairs of cell and class: first the cells whose best class is best, then the
// best pairs among these.
struct Found {
  Value scores, classes, cells;  // [1, rows, 1]
};

// `x` at the rows [1, n] of the second dim, by two indices of which the first is 0. Older exporters
// write it as one index of a flat list.
Value at_rows(Exporter& to, const Value& x, const Value& rows) {
  const int64_t n = rows.dims[1];
  if (to.opset() < 18) {
    const Value flat = reshape(to, x, {x.dims[1], x.dims[2]});
    const Value index = add(to, rows, to.integers({0}));
    return to.node("Gather", {flat, index}, {{"axis", int64_t{0}}}, {1, n, x.dims[2]});
  }
  const Value first = to.integers(std::vector<int64_t>(static_cast<size_t>(n), 0), {1, n, 1});
  const Value pairs = concat(to, {first, unsqueeze(to, rows, -1)}, -1);
  return to.node("GatherND", {x, pairs}, {{"batch_dims", int64_t{0}}}, {1, n, x.dims[2]});
}

Found best_pairs(Exporter& to, const Value& scores) {
  const int64_t classes = scores.dims[2], rows = std::min<int64_t>(300, scores.dims[1]);
  const Value cells = unsqueeze(to, top_k(to, max_of(to, scores, -1), rows).indices, -1);
  const Value of_cells = gather_rows(to, scores, cells);
  const TopK best = top_k(to, flatten(to, of_cells), rows);
  const Value divisor = to.integer(classes);
  const Value class_id =
      to.node("Mod", {best.indices, divisor}, {{"fmod", int64_t{0}}}, best.indices.dims);
  const Value row = binary(to, "Div", best.indices, divisor);
  return {.scores = unsqueeze(to, best.values, -1),
          .classes = cast_to_float(to, unsqueeze(to, class_id, -1)),
          .cells = at_rows(to, cells, row)};
}

}  // namespace

Value detect_end_to_end(Exporter& to, const Pyramid& maps) {
  constexpr int64_t classes = 80;
  // In cells; and a logit that few exceed: where the sigmoid is flat, scores would be all alike.
  constexpr float usual_distance = 4.0F, usual_score = -5.0F;
  std::vector<Value> distances, scores;
  for (const Value& map : maps) {
    distances.push_back(reshape(to, branch_of(to, map, {16, 4, usual_distance}), {1, 4, -1}));
    scores.push_back(reshape(to, scores_of(to, map, {80, classes, usual_score}), {1, classes, -1}));
  }
  const Value each = concat(to, distances, 2);
  const Value likely = unary(to, "Sigmoid", concat(to, scores, 2));
  const std::vector<Value> sides = split(to, each, 1, {2, 2});
  const Cells cells = cells_of(to, maps);
  const Value low = binary(to, "Sub", cells.centres, sides[0]);
  const Value high = add(to, cells.centres, sides[1]);
  const Value boxes = mul(to, concat(to, {low, high}, 1), cells.strides);
  const Value rows = transpose(to, concat(to, {boxes, likely}, 1), {0, 2, 1});
  const std::vector<Value> parts = split(to, rows, 2, {4, classes});
  const Found found = best_pairs(to, parts[1]);
  to.select({.keys = {found.cells, found.classes}, .scores = found.scores});
  return concat(to, {gather_rows(to, parts[0], found.cells), found.scores, found.classes}, 2);
}

Value beside(Exporter& to, const Pyramid& maps, const Branch& branch) {
  std::vector<Value> levels;
  for (const Value& map : maps)
    levels.push_back(reshape(to, branch_of(to, map, branch), {1, branch.channels, -1}));
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

}  // namespace shingle::networks::yolo
