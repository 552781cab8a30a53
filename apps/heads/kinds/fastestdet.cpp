// FastestDet's head: one map of a sixteenth of the input, channels [objectness, dx, dy, w, h, class
// scores...].
//
//   centre = (cell + tanh d) / cells    size = sigmoid(size), a share of the whole input
//   score = objectness^0.6 * class^0.4
//
// (github.com/dog-qiuqiu/FastestDet, its ncnn example; its scores leave the network as
// probabilities.)
#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"

namespace shingle {
namespace {

constexpr int64_t before_classes = 5;
constexpr int32_t stride = 16;

std::optional<Claim> claim(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if (dims.size() != 4 || dims[1] <= before_classes || dims[2] * stride != clues.input.h ||
      dims[3] * stride != clues.input.w)
    return std::nullopt;
  return Claim{.classes = dims[1] - before_classes};
}

Preparation preparation(const Clues&) { return {}; }

Detections decode(const Clues& clues, Values values, float min_score) {
  const auto channels = static_cast<size_t>(clues.outputs[0].dims[1]);
  const float cells_y = static_cast<float>(clues.outputs[0].dims[2]);
  const float cells_x = static_cast<float>(clues.outputs[0].dims[3]);
  const float width = static_cast<float>(clues.input.w);
  const float height = static_cast<float>(clues.input.h);
  const std::vector<Cell> cells = cells_of(clues.input, {&stride, 1});
  const Table table{values[0], cells.size(), channels, true};
  Detections found;
  for (size_t row = 0; row < cells.size(); ++row) {
    const BestClass best = best_class(table, row, before_classes, channels);
    const float score = std::pow(table(row, 0), 0.6F) * std::pow(best.score, 0.4F);
    if (!(score >= min_score)) continue;  // a negative objectness has no power: not a number
    const float x = (static_cast<float>(cells[row].x) + std::tanh(table(row, 1))) / cells_x * width;
    const float y =
        (static_cast<float>(cells[row].y) + std::tanh(table(row, 2))) / cells_y * height;
    const float w = sigmoid(table(row, 3)) * width, h = sigmoid(table(row, 4)) * height;
    found.push_back({best.class_id, score, around(x, y, w, h)});
  }
  return found;
}

}  // namespace

constinit const Head fastestdet_head{.name = "fastestdet",
                                     .outputs = "1x(5+C)xHxW at stride 16",
                                     .task = "detect",
                                     .customary_classes = 80,
                                     .usual_min_score = 0.65F,
                                     .usual_size = 352,
                                     .claim = claim,
                                     .preparation = preparation,
                                     .decode = decode};

}  // namespace shingle
