// NanoDet-Plus: one row per cell of four grids (strides 8, 16, 32, 64), finest first, each row
// [class scores..., 8 numbers for each of left, top, right, bottom].
//
//   distance of a side = stride * sum over i of i * softmax(its 8 numbers)[i]
//   the sides lie so far from (x, y) * stride
//
// (github.com/RangiLyu/nanodet, its NanoDetPlusHead; generalized focal loss with reg_max 7; scores
// leave the network as probabilities.)
#include <algorithm>

#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"

namespace shingle {
namespace {

constexpr size_t bins = 8;
constexpr int64_t side_columns = 4 * bins;

std::optional<Claim> claim(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if (dims.size() != 3 || dims[1] != cell_count(clues.input, strides_8_to_64) ||
      dims[2] <= side_columns)
    return std::nullopt;
  return Claim{.classes = dims[2] - side_columns};
}

Preparation preparation(const Clues&) {
  return {.fit = Fit::stretch,
          .colour = ColourOrder::bgr,
          .mean = {103.53F, 116.28F, 123.675F},
          .deviation = {57.375F, 57.12F, 58.395F}};
}

float distance(const Table& table, size_t row, size_t begin) {
  float most = table(row, begin);
  for (size_t bin = 1; bin < bins; ++bin) most = std::max(most, table(row, begin + bin));
  float sum = 0.0F, weighted = 0.0F;
  for (size_t bin = 0; bin < bins; ++bin) {
    const float weight = std::exp(table(row, begin + bin) - most);
    sum += weight;
    weighted += weight * static_cast<float>(bin);
  }
  return weighted / sum;
}

Detections decode(const Clues& clues, Values values, float min_score) {
  const auto columns = static_cast<size_t>(clues.outputs[0].dims[2]);
  const size_t classes = columns - side_columns;
  const std::vector<Cell> cells = cells_of(clues.input, strides_8_to_64);
  const Table table{values[0], cells.size(), columns};
  Detections found;
  for (size_t row = 0; row < cells.size(); ++row) {
    const BestClass best = best_class(table, row, 0, classes);
    if (!(best.score >= min_score)) continue;
    const Cell& cell = cells[row];
    const auto side = [&](size_t which) { return distance(table, row, classes + which * bins); };
    const float stride = static_cast<float>(cell.stride);
    const float left = side(0), top = side(1), right = side(2), bottom = side(3);
    const Box box{(static_cast<float>(cell.x) - left) * stride,
                  (static_cast<float>(cell.y) - top) * stride, (left + right) * stride,
                  (top + bottom) * stride};
    found.push_back({best.class_id, best.score, box});
  }
  return found;
}

}  // namespace

constinit const Head nanodet_head{.name = "nanodet",
                                  .outputs = "1xNx(C+32), N the cells of strides 8, 16, 32 and 64",
                                  .task = "detect",
                                  .customary_classes = 80,
                                  .usual_min_score = 0.35F,
                                  .usual_size = 416,
                                  .claim = claim,
                                  .preparation = preparation,
                                  .decode = decode};

}  // namespace shingle
