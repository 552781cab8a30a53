// NonMaxSuppression, NonZero and Compress: values of which a size depends on the input. What the
// first two have no row for holds -1, so their count is how many places do not.
#include <algorithm>
#include <limits>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/counts/places.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/selection/selection.hpp"

namespace shingle::onnx {

namespace {

void set_counted(Node& node, const Box& box, size_t dim, const Amount& count) {
  node.set(box);
  Counts counts;
  add_count(node, counts, dim, count);
  set_counts(node, 0, counts);
}

int64_t most_boxes(Node& node, int64_t boxes) {
  if (!node.has(2)) node.refuse("it says no maximum of boxes, which means that it selects none");
  const Constant& most = node.constant(2);
  if (!most.integer || most.count() != 1) node.refuse("its maximum of boxes is not one integer");
  if (most.integers[0] < 1)
    node.refuse("its maximum of boxes is " + std::to_string(most.integers[0]));
  return std::min(most.integers[0], boxes);
}

}  // namespace

void non_max_suppression(Node& node) {
  const Dims boxes = node.dims(0), scores = node.dims(1);
  const bool fit = boxes.size() == 3 && scores.size() == 3 && boxes[0] == scores[0] &&
                   boxes[1] == scores[2] && boxes[2] == 4;
  if (!fit)
    node.refuse("its boxes " + text_of(boxes) + " do not fit its scores " + text_of(scores));
  check_box_dims(boxes, node.store().limits, "its first input");
  check_box_dims(scores, node.store().limits, "its second input");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Suppression op{.centers = node.integer("center_point_box", 0) != 0,
                       .most_boxes = static_cast<int32_t>(most_boxes(node, boxes[1])),
                       .most_overlap = node.has(3) ? node.scalar(3) : 0.0F,
                       .least_score = node.has(4) ? node.scalar(4) : -infinity};
  if (node.is_constant(0) && node.is_constant(1)) node.refuse("nothing depends on the input");
  const Dims rows{boxes[0] * scores[1] * op.most_boxes, 3};
  check_box_dims(rows, node.store().limits, "its output");
  const TensorId of_boxes = along_axes(node, node.value(0), {Axis::y, Axis::x, Axis::c});
  const TensorId of_scores = along_axes(node, node.value(1), {Axis::y, Axis::c, Axis::x});
  Box found = node.emit(op, {of_boxes, of_scores}, map_view(rows, {Axis::x, Axis::c}));
  found.sole = false;
  const Box pictures = node.emit(StridedSlice{}, {found.tensor}, map_view({rows[0]}, {Axis::x}),
                                 Shape{1, static_cast<int32_t>(rows[0]), 1});
  set_counted(node, found, 0, places_in(node, pictures));
}

// A place is a mixed-radix number of the dims.
void non_zero(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  if (dims.empty()) node.refuse("its input is a single number");
  const Places places = places_that_hold(node, box);
  const Dims row{1, places.most};
  const std::vector<Axis> axes{Axis::y, Axis::x};
  const Box whole{.tensor = places.tensor, .view = map_view(row, axes)};
  std::vector<TensorId> parts;
  int64_t behind = places.most;  // elements of each step of a dim
  for (const int64_t size : dims) {
    Box index = whole;
    if (behind != places.most)
      index = combine(node, Binary::Kind::modulo, index, static_cast<float>(behind));
    behind /= size;
    if (behind != 1)
      index = node.activate(combine(node, Binary::Kind::div, index, static_cast<float>(behind)),
                            {.kind = Activation::Kind::floor});
    parts.push_back(node.laid_out(index, arranged(index.view, axes)).tensor);
  }
  const View all = map_view({std::ssize(dims), places.most}, axes);
  const Box joined = parts.size() == 1 ? Box{.tensor = parts[0], .view = all}
                                       : node.emit(Concat{Axis::y}, std::move(parts), all);
  set_counted(node, joined, 1, places.count);
}

namespace {

// The places where a constant condition holds.
std::vector<int64_t> chosen_places(Node& node, const Constant& condition) {
  node.store().budget.charge(condition.count(), 8);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < condition.count(); ++i)
    if (condition.at(i) != 0) places.push_back(i);
  return places;
}

}  // namespace

void compress(Node& node) {
  Value value = node.value(0);
  const Dims condition = node.dims(1);
  if (condition.size() != 1) node.refuse("its condition is " + text_of(condition));
  if (!node.has_attribute("axis"))
    value = reshaped_value(node, value, {product_of(dims_of(value))});
  const Dims dims = dims_of(value);
  const size_t dim = node.axis(node.integer("axis", 0), dims.size());
  if (condition[0] > dims[dim])
    node.refuse("its condition is longer than its input " + text_of(dims));
  if (node.is_constant(1)) {
    const std::vector<int64_t> places = chosen_places(node, node.constant(1));
    if (const Box* box = std::get_if<Box>(&value))
      return node.set(gathered_box(node, *box, dim, places));
    const Dims one{std::ssize(places)};
    return node.set(
        gathered(node, std::get<Constant>(value), dim, node.store().integers(one, places)));
  }
  const Places places = places_that_hold(node, node.box(1));
  set_counted(node, picked(node, value, dim, places), dim, places.count);
}

}  // namespace shingle::onnx
