// YOLOv8's and YOLO11's exported head: a column for each cell, [x, y, w, h, class scores...], the
// centre and size of the box in input pixels, the scores as probabilities; decoded in the graph.
//
// (github.com/ultralytics/ultralytics, nn/modules/head.py, Detect.forward for export. Exports for
// poses and turned boxes have the same shape with other numbers; their metadata say so.)
#include "apps/heads/head.hpp"
#include "apps/heads/kinds/cells.hpp"

namespace shingle {
namespace {

constexpr int64_t before_classes = 4;

std::optional<Claim> claim_of_columns(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  if (dims.size() != 3 || dims[1] <= before_classes) return std::nullopt;
  if (!covers_cells(dims[2], 1, clues.input)) return std::nullopt;
  return Claim{.classes = dims[1] - before_classes};
}

Preparation preparation(const Clues&) { return {.fit = Fit::centred, .colour = ColourOrder::rgb}; }

Detections decode_columns(const Clues& clues, Values values, float min_score) {
  const auto columns = static_cast<size_t>(clues.outputs[0].dims[1]);
  const auto rows = static_cast<size_t>(clues.outputs[0].dims[2]);
  return decoded_rows({values[0], rows, columns, true}, before_classes, min_score);
}

}  // namespace

constinit const Head yolov8_head{
    .name = "yolov8",
    .outputs = "1x(4+C)xN, N the cells of strides 8, 16 and 32 (and 64)",
    .task = "detect",
    .customary_classes = 80,
    .usual_min_score = 0.25F,
    .usual_size = 640,
    .claim = claim_of_columns,
    .preparation = preparation,
    .decode = decode_columns};

}  // namespace shingle
