// YOLOX's undecoded head: one row per cell of three grids (strides 8, 16, 32), finest first, each
// row [dx, dy, log w, log h, objectness, class scores...].
//
//   centre = (cell + d) * stride    size = exp(log size) * stride    score = objectness * class
//
// (Ge et al., "YOLOX: Exceeding YOLO Series in 2021"; scores leave the network as probabilities.)
//
// Exported with --decode_in_inference it has the same shape with boxes in input pixels: that is
// yolox-decoded, which the user must name.
#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"

namespace shingle {
namespace {

constexpr int64_t before_classes = 5;

std::optional<Claim> claim(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if (dims.size() != 3 || dims[1] != cell_count(clues.input, strides_8_to_32) ||
      dims[2] <= before_classes)
    return std::nullopt;
  return Claim{.classes = dims[2] - before_classes};
}

Preparation preparation(const Clues&) {
  return {.fit = Fit::letterbox, .deviation = {1.0F, 1.0F, 1.0F}};
}

Detections decode(const Clues& clues, Values values, float min_score) {
  const auto columns = static_cast<size_t>(clues.outputs[0].dims[2]);
  const std::vector<Cell> cells = cells_of(clues.input, strides_8_to_32);
  const Table table{values[0], cells.size(), columns};
  Detections found;
  for (size_t row = 0; row < cells.size(); ++row) {
    const BestClass best = best_class(table, row, before_classes, columns);
    const float score = table(row, 4) * best.score;
    if (!(score >= min_score)) continue;
    const float stride = static_cast<float>(cells[row].stride);
    const float x = (table(row, 0) + static_cast<float>(cells[row].x)) * stride;
    const float y = (table(row, 1) + static_cast<float>(cells[row].y)) * stride;
    const float w = std::exp(table(row, 2)) * stride, h = std::exp(table(row, 3)) * stride;
    found.push_back({best.class_id, score, around(x, y, w, h)});
  }
  return found;
}

std::optional<Claim> claim_decoded(const Clues& clues) {
  auto claimed = claim(clues);
  if (claimed) claimed->certainty = Certainty::shared;
  return claimed;
}

Detections decode_decoded(const Clues& clues, Values values, float min_score) {
  const auto rows = static_cast<size_t>(clues.outputs[0].dims[1]);
  const auto columns = static_cast<size_t>(clues.outputs[0].dims[2]);
  return decoded_rows({values[0], rows, columns}, before_classes, min_score);
}

}  // namespace

constinit const Head yolox_head{.name = "yolox",
                                .outputs = "1xNx(5+C), N the cells of strides 8, 16 and 32",
                                .task = "detect",
                                .customary_classes = 80,
                                .usual_min_score = 0.3F,
                                .usual_size = 640,
                                .claim = claim,
                                .preparation = preparation,
                                .decode = decode};

constinit const Head yolox_decoded_head{
    .name = "yolox-decoded",
    .outputs = "1xNx(5+C) with decoded boxes, N the cells of strides 8, 16 and 32",
    .task = "detect",
    .customary_classes = 80,
    .usual_min_score = 0.3F,
    .usual_size = 640,
    .claim = claim_decoded,
    .preparation = preparation,
    .decode = decode_decoded};

}  // namespace shingle
