// RT-DETR's and D-FINE's exports, a row for each query; a query is one object, so nothing is
// suppressed:
//
//   rtdetr         labels 1xN, boxes 1xNx4, scores 1xN by name: x1 y1 x2 y2 in pixels of the
//   picture
//                  whose width and height the second input 'orig_target_sizes' takes
//   rtdetr-logits  logits 1xNxC and pred_boxes 1xNx4 by name: score = sigmoid(logit), centre and
//   size
//                  as shares of the input
//   rtdetr-rows    1xNx(4+C): centre and size as shares of the input, probabilities (Ultralytics)
//
// (github.com/lyuwenyu/RT-DETR, rtdetr_postprocessor.py; github.com/Peterande/D-FINE; transformers'
// RTDetrForObjectDetection; github.com/ultralytics/ultralytics, nn/modules/head.py, RTDETRDecoder.)
// The best class of a query counts; the authors' own take the best 300 pairs of query and class.
//
// DETR's logits have the same names and one class more, which means nothing; its number of classes
// is then not the one that is known.
#include "apps/heads/kinds/exports.hpp"

namespace shingle {
namespace {

constexpr int64_t box_columns = 4;
constexpr int64_t usual_queries = 300;

struct Named {
  size_t labels = 0, boxes = 0, scores = 0;
};
std::optional<Named> named_outputs(const Clues& clues) {
  if (clues.outputs.size() != 3) return std::nullopt;
  const auto labels = output_named(clues, {"labels"}), boxes = output_named(clues, {"boxes"});
  const auto scores = output_named(clues, {"scores"});
  if (!labels || !boxes || !scores) return std::nullopt;
  return Named{*labels, *boxes, *scores};
}

bool is_list_of(const std::vector<int64_t>& dims, int64_t rows) {
  return dims.size() == 2 && dims[0] == 1 && dims[1] == rows;
}

std::optional<Claim> claim_named(const Clues& clues) {
  const auto outputs = named_outputs(clues);
  if (!clues.takes_sizes || !outputs) return std::nullopt;
  const std::vector<int64_t>& boxes = clues.outputs[outputs->boxes].dims;
  if (boxes.size() != 3 || boxes[0] != 1 || boxes[2] != box_columns) return std::nullopt;
  if (!is_list_of(clues.outputs[outputs->labels].dims, boxes[1]) ||
      !is_list_of(clues.outputs[outputs->scores].dims, boxes[1]))
    return std::nullopt;
  return Claim{.classes = 0, .certainty = Certainty::stated};
}

struct Queries {
  size_t logits = 0, boxes = 0;
};
std::optional<Queries> query_outputs(const Clues& clues) {
  if (clues.outputs.size() != 2) return std::nullopt;
  const auto logits = output_named(clues, {"logits", "pred_logits"});
  const auto boxes = output_named(clues, {"pred_boxes"});
  if (!logits || !boxes) return std::nullopt;
  return Queries{*logits, *boxes};
}

std::optional<Claim> claim_logits(const Clues& clues) {
  const auto outputs = query_outputs(clues);
  if (!outputs) return std::nullopt;
  const std::vector<int64_t>&logits = clues.outputs[outputs->logits].dims,
        &boxes = clues.outputs[outputs->boxes].dims;
  if (logits.size() != 3 || logits[2] < 1 || boxes.size() != 3 || boxes[1] != logits[1] ||
      boxes[2] != box_columns)
    return std::nullopt;
  return Claim{.classes = logits[2]};
}

std::optional<Claim> claim_rows(const Clues& clues) {
  const auto list = clues.outputs.size() == 1 ? list_shape(clues, 0) : std::nullopt;
  if (!list || list->columns <= box_columns || states_end_to_end(clues)) return std::nullopt;
  const bool lies_down = list->columns > list->rows;  // a map's cells, as YOLOv8 has them
  if (lies_down && !states_rtdetr(clues)) return std::nullopt;
  const int64_t classes = list->columns - box_columns;
  if (states_rtdetr(clues)) return Claim{.classes = classes, .certainty = Certainty::stated};
  const bool like_no_other = list->rows == usual_queries && classes > 3;  // 6, 7: end-to-end
  return Claim{.classes = classes,
               .certainty = like_no_other ? Certainty::distinctive : Certainty::shared};
}

// As the authors': the whole input, no mean.
Preparation preparation(const Clues&) { return {.fit = Fit::stretch, .colour = ColourOrder::rgb}; }

Detections decode_named(const Clues& clues, Values values, float min_score) {
  const Named outputs = *named_outputs(clues);
  const Table boxes = table_of(clues, values, outputs.boxes);
  Detections found;
  for (size_t row = 0; row < boxes.rows; ++row) {
    const float score = values[outputs.scores][row];
    const int32_t class_id = class_in(values[outputs.labels][row]);
    if (score >= min_score && class_id >= 0)
      found.push_back(
          {class_id, score,
           between_corners(boxes(row, 0), boxes(row, 1), boxes(row, 2), boxes(row, 3))});
  }
  return found;
}

Box share_of_input(const Table& boxes, size_t row, Shape input) {
  const float w = static_cast<float>(input.w), h = static_cast<float>(input.h);
  return around(boxes(row, 0) * w, boxes(row, 1) * h, boxes(row, 2) * w, boxes(row, 3) * h);
}

Detections decode_logits(const Clues& clues, Values values, float min_score) {
  const Queries outputs = *query_outputs(clues);
  const Table logits = table_of(clues, values, outputs.logits);
  const Table boxes = table_of(clues, values, outputs.boxes);
  Detections found;
  for (size_t row = 0; row < logits.rows; ++row) {
    const BestClass best = best_class(logits, row, 0, logits.columns);
    const float score = sigmoid(best.score);
    if (score >= min_score)
      found.push_back({best.class_id, score, share_of_input(boxes, row, clues.input)});
  }
  return found;
}

Detections decode_rows(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0);
  Detections found;
  for (size_t row = 0; row < table.rows; ++row) {
    const BestClass best = best_class(table, row, box_columns, table.columns);
    if (best.score >= min_score)
      found.push_back({best.class_id, best.score, share_of_input(table, row, clues.input)});
  }
  return found;
}

}  // namespace

constinit const Head rtdetr_head{
    .name = "rtdetr",
    .outputs = "labels 1xN, boxes 1xNx4, scores 1xN, with the input orig_target_sizes",
    .task = "detect",
    .customary_classes = 80,
    .usual_min_score = 0.5F,
    .claim = claim_named,
    .preparation = preparation,
    .decode = decode_named,
    .is_final = true,
    .in_picture = true};

constinit const Head rtdetr_logits_head{.name = "rtdetr-logits",
                                        .outputs = "logits 1xNxC and pred_boxes 1xNx4",
                                        .task = "detect",
                                        .customary_classes = 80,
                                        .usual_min_score = 0.5F,
                                        .claim = claim_logits,
                                        .preparation = preparation,
                                        .decode = decode_logits,
                                        .is_final = true};

constinit const Head rtdetr_rows_head{.name = "rtdetr-rows",
                                      .outputs = "1xNx(4+C), N queries",
                                      .task = "detect",
                                      .customary_classes = 80,
                                      .usual_min_score = 0.5F,
                                      .claim = claim_rows,
                                      .preparation = preparation,
                                      .decode = decode_rows,
                                      .is_final = true};

}  // namespace shingle
