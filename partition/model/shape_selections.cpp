// Shapes of what sorts, takes, changes and finds elements by values.
#include "partition/model/shape_inference.hpp"

namespace shingle {

namespace {

// The extents of `map` with as many elements along `axis` as there are indices.
ShapeResult taken(Shape indices, Shape map, Axis axis) {
  const Extent given = extent_of(indices);
  Extent out = extent_of(map);
  if (out[index_of(axis)] > max_index) return Error{"its indices are too large for a 32-bit float"};
  for (size_t i = 0; i < 3; ++i) {
    if (i == index_of(axis) || given[i] == 1 || given[i] == out[i]) continue;
    return Error{"its indices " + to_string(indices) + " do not fit the map " + to_string(map)};
  }
  out[index_of(axis)] = given[index_of(axis)];
  return exactly(out);
}

}  // namespace

ShapeResult Inference::operator()(const Order& op) const {
  Extent out = extent_of(shape(0));
  int64_t& size = out[index_of(op.axis)];
  if (op.count < 1 || op.count > size) {
    return Error{"it takes " + std::to_string(op.count) + " of " + std::to_string(size) +
                 " elements"};
  }
  if (size > max_index) return Error{"its indices are too large for a 32-bit float"};
  size = op.count;
  return exactly(out);
}

ShapeResult Inference::operator()(const Take& op) const {
  return taken(shape(0), shape(1), op.axis);
}

ShapeResult Inference::operator()(const Scatter& op) const {
  const Extent map = extent_of(shape(0)), updates = extent_of(shape(2));
  for (size_t i = 0; i < 3; ++i) {
    if (i == index_of(op.axis) || updates[i] <= map[i]) continue;
    return Error{"its updates " + to_string(shape(2)) + " do not fit the map " +
                 to_string(shape(0))};
  }
  const ShapeResult fit = taken(shape(1), shape(2), op.axis);
  if (!fit) return fit.failure();
  if (fit->usual != updates) {
    return Error{"it has not as many indices " + to_string(shape(1)) + " as updates " +
                 to_string(shape(2))};
  }
  return exactly(map);
}

ShapeResult Inference::operator()(const Suppression& op) const {
  const Shape boxes = shape(0), scores = shape(1);
  if (boxes.c != 4 || boxes.h != scores.h || boxes.w != scores.w) {
    return Error{"its boxes " + to_string(boxes) + " do not fit its scores " + to_string(scores)};
  }
  if (op.most_boxes < 1 || op.most_boxes > boxes.w || boxes.w > max_index) {
    return Error{"it keeps " + std::to_string(op.most_boxes) + " of " + std::to_string(boxes.w) +
                 " boxes"};
  }
  return exactly({1, most_rows(op, scores), 3});
}

ShapeResult Inference::operator()(const NonZero&) const {
  const int64_t elements = shape(0).elements();
  if (elements > max_index) return Error{"its places are too large for a 32-bit float"};
  return exactly({1, elements, 1});
}

int64_t most_rows(const Suppression& op, Shape scores) {
  return int64_t{scores.h} * scores.c * op.most_boxes;
}

}  // namespace shingle
