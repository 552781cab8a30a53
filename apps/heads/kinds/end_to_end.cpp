// End-to-end detectors: the graph ends in a short list, best first, of which nothing has to be
// suppressed. YOLOv10 and YOLO26 were trained so; Ultralytics' exports with nms=True suppress in
// the graph. A row in input pixels and probabilities:
//
//   end-to-end       x1 y1 x2 y2 score class
//   end-to-end-seg   x1 y1 x2 y2 score class, a weight for each prototype of the second output
//   end-to-end-pose  x1 y1 x2 y2 score class, x y visibility of each key point
//   end-to-end-obb   x y w h score class angle: the middle, the sides, clockwise in radians
//
// (github.com/ultralytics/ultralytics, nn/modules/head.py, Detect.postprocess and its children, and
// engine/exporter.py, NMSModel. Rows that the list has no object for are zeros.)
//
// 1xNx6 may be RT-DETR's 1xNx(4+C) of two classes: where the metadata leave that open the user must
// name the head.
#include "apps/heads/kinds/exports.hpp"

namespace shingle {
namespace {

constexpr int64_t box_columns = 6;
constexpr int64_t turned_columns = 7;

Certainty certain_where(bool stated) { return stated ? Certainty::stated : Certainty::shared; }

std::optional<ListShape> only_list(const Clues& clues) {
  return clues.outputs.size() == 1 ? list_shape(clues, 0) : std::nullopt;
}

std::optional<Claim> claim_boxes(const Clues& clues) {
  const auto list = only_list(clues);
  if (!list || list->columns != box_columns || states_rtdetr(clues)) return std::nullopt;
  const bool other_is_possible = named_classes(clues) == box_columns - 4;
  return Claim{.classes = 0,
               .certainty = certain_where(states_end_to_end(clues) ||
                                          (states_task(clues, "detect") && !other_is_possible))};
}

std::optional<Claim> claim_masks(const Clues& clues) {
  if (clues.outputs.size() != 2) return std::nullopt;
  const auto list = list_shape(clues, 0);
  const auto prototypes = prototype_shape(clues, 1);
  if (!list || !prototypes || list->columns != box_columns + prototypes->c) return std::nullopt;
  return Claim{.classes = 0, .certainty = Certainty::stated};
}

std::optional<Claim> claim_poses(const Clues& clues) {
  const auto list = only_list(clues);
  if (!list || list->columns != box_columns + key_points_of(clues).count()) return std::nullopt;
  return Claim{.classes = 0, .certainty = certain_where(states_task(clues, "pose"))};
}

std::optional<Claim> claim_turned(const Clues& clues) {
  const auto list = only_list(clues);
  if (!list || list->columns != turned_columns) return std::nullopt;
  return Claim{.classes = 0, .certainty = certain_where(states_task(clues, "obb"))};
}

// f(row, its class) for each row of at least this score and a class.
template <class F>
void for_each_found(const Table& table, float min_score, F f) {
  for (size_t row = 0; row < table.rows; ++row) {
    const int32_t class_id = class_in(table(row, 5));
    if (table(row, 4) >= min_score && class_id >= 0) f(row, class_id);
  }
}

Detection detection_in(const Table& table, size_t row, int32_t class_id) {
  return {class_id, table(row, 4),
          between_corners(table(row, 0), table(row, 1), table(row, 2), table(row, 3))};
}

Detections decode_boxes(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0);
  Detections found;
  for_each_found(table, min_score, [&](size_t row, int32_t class_id) {
    found.push_back(detection_in(table, row, class_id));
  });
  return found;
}

MaskedDetections decode_masks(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0);
  MaskedDetections masked{.found = {}, .prototypes = prototypes_of(clues, values, 1)};
  for_each_found(table, min_score, [&](size_t row, int32_t class_id) {
    masked.found.push_back(
        {detection_in(table, row, class_id), numbers_of(table, row, box_columns, table.columns)});
  });
  return masked;
}

BodyPoses decode_poses(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0);
  const KeyPointShape shape = key_points_of(clues);
  BodyPoses found;
  for_each_found(table, min_score, [&](size_t row, int32_t class_id) {
    found.push_back(
        {detection_in(table, row, class_id), points_of(table, row, box_columns, shape)});
  });
  return found;
}

TurnedBoxes decode_turned(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0);
  TurnedBoxes found;
  for_each_found(table, min_score, [&](size_t row, int32_t class_id) {
    found.push_back({class_id, table(row, 4), table(row, 0), table(row, 1), table(row, 2),
                     table(row, 3), table(row, 6)});
  });
  return found;
}

}  // namespace

constinit const Head end_to_end_head{.name = "end-to-end",
                                     .outputs = "1xNx6, a list of boxes",
                                     .task = "detect",
                                     .usual_min_score = 0.25F,
                                     .claim = claim_boxes,
                                     .preparation = ultralytics_preparation,
                                     .decode = decode_boxes,
                                     .is_final = true};

constinit const Head end_to_end_seg_head{.name = "end-to-end-seg",
                                         .outputs = "1xNx(6+M) and prototypes 1xMxHxW",
                                         .task = "segment",
                                         .usual_min_score = 0.25F,
                                         .claim = claim_masks,
                                         .preparation = ultralytics_preparation,
                                         .decode = decode_masks,
                                         .is_final = true};

constinit const Head end_to_end_pose_head{.name = "end-to-end-pose",
                                          .outputs = "1xNx(6+3K), a list of poses of K points",
                                          .task = "pose",
                                          .usual_min_score = 0.25F,
                                          .claim = claim_poses,
                                          .preparation = ultralytics_preparation,
                                          .decode = decode_poses,
                                          .is_final = true};

constinit const Head end_to_end_obb_head{.name = "end-to-end-obb",
                                         .outputs = "1xNx7, a list of turned boxes",
                                         .task = "obb",
                                         .usual_min_score = 0.25F,
                                         .usual_size = 1024,
                                         .claim = claim_turned,
                                         .preparation = ultralytics_preparation,
                                         .decode = decode_turned,
                                         .is_final = true};

}  // namespace shingle
