// YOLOv8's and YOLO11's exports for more than boxes: a column for each cell, in input pixels and
// probabilities, with M prototypes of masks as second output of the first kind:
//
//   yolov8-seg   x y w h, class scores..., a weight for each prototype
//   yolov8-pose  x y w h, class scores..., x y visibility of each key point
//   yolov8-obb   x y w h, class scores..., angle: the middle, the sides, clockwise in radians
//
// (github.com/ultralytics/ultralytics, nn/modules/head.py, Segment, Pose and OBB.) Turned boxes are
// suppressed by ProbIoU, as there.
#include "apps/heads/kinds/exports.hpp"

namespace shingle {
namespace {

constexpr int64_t before_classes = 4;

// R of an output 1xRxN, where N is the number of cells of the usual grids. 0: other shapes.
int64_t rows_of(const Clues& clues) {
  const std::vector<int64_t>& dims = clues.outputs[0].dims;
  return dims.size() == 3 && covers_cells(dims[2], 1, clues.input) ? dims[1] : 0;
}

std::optional<Claim> claim_masks_of_cells(const Clues& clues) {
  if (clues.outputs.size() != 2) return std::nullopt;
  const auto prototypes = prototype_shape(clues, 1);
  const int64_t classes = prototypes ? rows_of(clues) - before_classes - prototypes->c : 0;
  if (classes < 1) return std::nullopt;
  return Claim{.classes = classes, .certainty = Certainty::stated};
}

// Without metadata a pose of one class may as well be 52 classes of boxes.
std::optional<Claim> claim_poses_of_cells(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const bool stated = states_task(clues, "pose");
  const int64_t classes = rows_of(clues) - before_classes - key_points_of(clues).count();
  if (stated ? classes < 1 : classes != 1) return std::nullopt;
  return Claim{.classes = classes, .certainty = stated ? Certainty::stated : Certainty::shared};
}

std::optional<Claim> claim_turned_of_cells(const Clues& clues) {
  if (clues.outputs.size() != 1) return std::nullopt;
  const bool stated = states_task(clues, "obb");
  const int64_t classes = rows_of(clues) - before_classes - 1;
  if (classes < 1) return std::nullopt;
  return Claim{.classes = classes, .certainty = stated ? Certainty::stated : Certainty::shared};
}

// f(column, its best class) for each cell with a class of at least this score; `behind` numbers
// follow the classes.
template <class F>
void for_each_found(const Table& table, size_t behind, float min_score, F f) {
  const size_t end = table.columns - behind;
  for (size_t cell = 0; cell < table.rows; ++cell) {
    const BestClass best = best_class(table, cell, before_classes, end);
    if (best.score >= min_score) f(cell, best);
  }
}

Detection detection_in(const Table& table, size_t cell, const BestClass& best) {
  return {best.class_id, best.score,
          around(table(cell, 0), table(cell, 1), table(cell, 2), table(cell, 3))};
}

MaskedDetections decode_masks_of_cells(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0, true);
  MaskedDetections masked{.found = {}, .prototypes = prototypes_of(clues, values, 1)};
  const size_t count = masked.prototypes.count;
  for_each_found(table, count, min_score, [&](size_t cell, const BestClass& best) {
    masked.found.push_back({detection_in(table, cell, best),
                            numbers_of(table, cell, table.columns - count, table.columns)});
  });
  return masked;
}

BodyPoses decode_poses_of_cells(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0, true);
  const KeyPointShape shape = key_points_of(clues);
  const auto count = static_cast<size_t>(shape.count());
  BodyPoses found;
  for_each_found(table, count, min_score, [&](size_t cell, const BestClass& best) {
    found.push_back(
        {detection_in(table, cell, best), points_of(table, cell, table.columns - count, shape)});
  });
  return found;
}

TurnedBoxes decode_turned_of_cells(const Clues& clues, Values values, float min_score) {
  const Table table = table_of(clues, values, 0, true);
  TurnedBoxes found;
  for_each_found(table, 1, min_score, [&](size_t cell, const BestClass& best) {
    found.push_back({best.class_id, best.score, table(cell, 0), table(cell, 1), table(cell, 2),
                     table(cell, 3), table(cell, table.columns - 1)});
  });
  return found;
}

}  // namespace

constinit const Head yolov8_seg_head{
    .name = "yolov8-seg",
    .outputs = "1x(4+C+M)xN and prototypes 1xMxHxW, N the cells of strides 8, 16 and 32 (and 64)",
    .task = "segment",
    .customary_classes = 80,
    .usual_min_score = 0.25F,
    .claim = claim_masks_of_cells,
    .preparation = ultralytics_preparation,
    .decode = decode_masks_of_cells};

constinit const Head yolov8_pose_head{
    .name = "yolov8-pose",
    .outputs = "1x(4+C+3K)xN, K key points, N the cells of strides 8, 16 and 32 (and 64)",
    .task = "pose",
    .customary_classes = 1,
    .usual_min_score = 0.25F,
    .claim = claim_poses_of_cells,
    .preparation = ultralytics_preparation,
    .decode = decode_poses_of_cells,
    .only_class = "person"};

constinit const Head yolov8_obb_head{
    .name = "yolov8-obb",
    .outputs = "1x(4+C+1)xN, N the cells of strides 8, 16 and 32 (and 64)",
    .task = "obb",
    .customary_classes = 15,
    .usual_min_score = 0.25F,
    .usual_size = 1024,
    .claim = claim_turned_of_cells,
    .preparation = ultralytics_preparation,
    .decode = decode_turned_of_cells};

}  // namespace shingle
