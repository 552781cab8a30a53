// NonMaxSuppression and NonZero: values of which a size depends on the input. What they have no row
// for holds -1, so their count is how many places do not.
#include <algorithm>
#include <limits>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"

namespace shingle::onnx {

namespace {

// The value in a box of its own, its dims along these axes.
TensorId operand(Node& node, size_t input, const std::vector<Axis>& axes) {
  const Value& value = node.value(input);
  if (const Constant* known = std::get_if<Constant>(&value)) {
    check_box_dims(known->dims, node.store().limits, "its input");
    return spread(node, map_view(known->dims, axes), *known);
  }
  const Box box = std::get<Box>(value);
  return node.laid_out(box, arranged(box.view, axes)).tensor;
}

// How many elements of a list are not below 0.
Amount places_in(Node& node, const Box& list) {
  const Constant zero = node.store().floats({}, {0.0F});
  const Box found = combine(node, Binary::Kind::less_or_equal, zero, list);
  const std::vector<bool> all(found.view.dims.size(), true);
  const TensorId total = reduced(node, Reduction::Kind::sum, found, all).tensor;
  return amount_of(total, 0, size_of(list.view, 0));
}

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
  if (most.integers[0] < 1) node.refuse("its maximum of boxes is " + std::to_string(most.integers[0]));
  return std::min(most.integers[0], boxes);
}

}  // namespace

void non_max_suppression(Node& node) {
  const Dims boxes = node.dims(0), scores = node.dims(1);
  const bool fit = boxes.size() == 3 && scores.size() == 3 && boxes[0] == scores[0] &&
                   boxes[1] == scores[2] && boxes[2] == 4;
  if (!fit)
    node.refuse("its boxes " + text_of(boxes) + " do not fit its scores " + text_of(scores));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Suppression op{.centers = node.integer("center_point_box", 0) != 0,
                       .most_boxes = static_cast<int32_t>(most_boxes(node, boxes[1])),
                       .most_overlap = node.has(3) ? node.scalar(3) : 0.0F,
                       .least_score = node.has(4) ? node.scalar(4) : -infinity};
  if (node.is_constant(0) && node.is_constant(1)) node.refuse("nothing depends on the input");
  const Dims rows{boxes[0] * scores[1] * op.most_boxes, 3};
  check_box_dims(rows, node.store().limits, "its output");
  const TensorId of_boxes = operand(node, 0, {Axis::y, Axis::x, Axis::c});
  const TensorId of_scores = operand(node, 1, {Axis::y, Axis::c, Axis::x});
  Box found = node.emit(op, {of_boxes, of_scores}, map_view(rows, {Axis::x, Axis::c}));
  found.sole = false;
  StridedSlice first;
  const Box pictures = node.emit(first, {found.tensor}, map_view({rows[0]}, {Axis::x}),
                                 Shape{1, static_cast<int32_t>(rows[0]), 1});
  set_counted(node, found, 0, places_in(node, pictures));
}

// A place is a mixed-radix number of the dims.
void non_zero(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  if (dims.empty()) node.refuse("its input is a single number");
  const Box row = node.laid_out(box, arranged(box.view, std::vector<Axis>(dims.size(), Axis::c)));
  int64_t behind = box_shape(row.view).c;  // elements of each step of a dim
  Box places = node.emit(NonZero{}, {row.tensor}, map_view({behind}, {Axis::x}));
  places.sole = false;
  const Amount count = places_in(node, places);
  std::vector<TensorId> parts;
  const View one = map_view({1, behind}, {Axis::y, Axis::x});
  const int64_t most = behind;
  places.view = one;
  for (const int64_t size : dims) {
    Box index = places;
    const int64_t whole = behind;
    behind /= size;
    if (whole != most) index = combine(node, Binary::Kind::modulo, index, static_cast<float>(whole));
    if (behind != 1)
      index = node.activate(combine(node, Binary::Kind::div, index, static_cast<float>(behind)),
                            {.kind = Activation::Kind::floor});
    parts.push_back(node.laid_out(index, arranged(index.view, {Axis::y, Axis::x})).tensor);
  }
  const View all = map_view({std::ssize(dims), most}, {Axis::y, Axis::x});
  const Box joined = parts.size() == 1 ? Box{.tensor = parts[0], .view = all}
                                       : node.emit(Concat{Axis::y}, std::move(parts), all);
  set_counted(node, joined, 1, count);
}

}  // namespace shingle::onnx
