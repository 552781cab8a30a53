// SSD and other detectors whose graphs suppress and end in boxes, labels and scores, and perhaps
// how many of them count. Known by the outputs' names; by their shapes alone (boxes, labels,
// scores in this order) the user must name the head.
//
// Boxes are x1 y1 x2 y2, but y1 x1 y2 x2 where the output is called detection_boxes (TensorFlow).
// Some graphs give them in input pixels (torchvision), others as shares of the input (TensorFlow,
// ONNX's model zoo): where no corner that counts lies beyond 2 they are shares, because boxes in
// pixels would all lie in the first 2 x 2 pixels then. Labels are the graph's: 0 often means
// nothing.
#include <algorithm>
#include <cmath>

#include "apps/heads/kinds/exports.hpp"

namespace shingle {
namespace {

constexpr int64_t box_columns = 4;
constexpr float largest_share = 2.0F;

struct Outputs {
  size_t boxes = 0, labels = 0, scores = 0;
  std::optional<size_t> count{};
  bool y_first = false, named = false;
};

Outputs outputs_of(const Clues& clues) {
  const auto tensorflow = output_named(clues, {"detection_boxes"});
  const auto boxes =
      tensorflow ? tensorflow : output_named(clues, {"boxes", "bboxes", "det_boxes"});
  const auto labels =
      output_named(clues, {"labels", "classes", "detection_classes", "det_classes", "class_ids"});
  const auto scores = output_named(clues, {"scores", "detection_scores", "det_scores"});
  if (!boxes || !labels || !scores) return {.boxes = 0, .labels = 1, .scores = 2};
  return {.boxes = *boxes,
          .labels = *labels,
          .scores = *scores,
          .count = output_named(clues, {"num_detections", "num_dets", "num_boxes"}),
          .y_first = tensorflow.has_value(),
          .named = true};
}

int64_t elements(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

// N or 1xN.
bool is_list_of(const std::vector<int64_t>& dims, int64_t rows) {
  return (dims.size() == 1 || (dims.size() == 2 && dims[0] == 1)) && dims.back() == rows;
}

std::optional<Claim> claim(const Clues& clues) {
  if (clues.takes_sizes || clues.outputs.size() < 3 || clues.outputs.size() > 4)
    return std::nullopt;
  const Outputs outputs = outputs_of(clues);
  const std::vector<int64_t>& boxes = clues.outputs[outputs.boxes].dims;
  const bool batched = boxes.size() == 3 && boxes[0] == 1;
  if ((boxes.size() != 2 && !batched) || boxes.back() != box_columns) return std::nullopt;
  const int64_t rows = boxes[boxes.size() - 2];
  if (rows < 1 || !is_list_of(clues.outputs[outputs.labels].dims, rows) ||
      !is_list_of(clues.outputs[outputs.scores].dims, rows))
    return std::nullopt;
  const size_t expected = outputs.count ? 4 : 3;
  if (clues.outputs.size() != expected) return std::nullopt;
  if (outputs.count && elements(clues.outputs[*outputs.count].dims) != 1) return std::nullopt;
  return Claim{.classes = 0, .certainty = outputs.named ? Certainty::stated : Certainty::shared};
}

Preparation preparation(const Clues&) { return {.fit = Fit::stretch, .colour = ColourOrder::rgb}; }

size_t rows_that_count(const Outputs& outputs, Values values) {
  const size_t rows = values[outputs.scores].size();
  if (!outputs.count) return rows;
  const int32_t count = class_in(values[*outputs.count][0]);
  return count < 0 ? 0 : std::min(static_cast<size_t>(count), rows);
}

Detections decode(const Clues& clues, Values values, float min_score) {
  const Outputs outputs = outputs_of(clues);
  const Table boxes{values[outputs.boxes], values[outputs.scores].size(), 4};
  const size_t x = outputs.y_first ? 1 : 0, y = outputs.y_first ? 0 : 1;
  const size_t rows = rows_that_count(outputs, values);
  Detections found;
  bool shares = true;
  for (size_t row = 0; row < rows; ++row) {
    const float score = values[outputs.scores][row];
    const int32_t class_id = class_in(values[outputs.labels][row]);
    if (!(score >= min_score) || class_id < 0) continue;
    found.push_back(
        {class_id, score,
         between_corners(boxes(row, x), boxes(row, y), boxes(row, x + 2), boxes(row, y + 2))});
    for (size_t i = 0; i < 4; ++i)
      shares = shares && !(std::isfinite(boxes(row, i)) && std::abs(boxes(row, i)) > largest_share);
  }
  if (!shares) return found;
  const float w = static_cast<float>(clues.input.w), h = static_cast<float>(clues.input.h);
  for (Detection& of : found) of.box = {of.box.x * w, of.box.y * h, of.box.w * w, of.box.h * h};
  return found;
}

}  // namespace

constinit const Head ssd_head{.name = "ssd",
                              .outputs = "boxes 1xNx4, labels 1xN, scores 1xN (, num_detections)",
                              .task = "detect",
                              .usual_min_score = 0.4F,
                              .usual_size = 300,
                              .claim = claim,
                              .preparation = preparation,
                              .decode = decode,
                              .is_final = true,
                              .any_batch = true};

}  // namespace shingle
