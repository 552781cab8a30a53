// TopK: the order of the elements along a dim, and the elements read in it.
#include <algorithm>
#include <cmath>

#include "partition/readers/onnx/operators/arg_max.hpp"
#include "partition/readers/onnx/operators/indexing/indexing.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

struct Wanted {
  size_t dim = 0;
  int64_t count = 0;
  bool largest = true;
};

Wanted wanted(Node& node) {
  const Dims dims = node.dims(0);
  Wanted result{.dim = node.axis(node.integer("axis", -1), dims.size()),
                .largest = node.integer("largest", 1) != 0};
  if (node.opset() < 10) {
    result.count = node.integer("k", 0);
  } else {
    const Dims count = node.integer_list(1);
    if (count.size() != 1) node.refuse("its K is not one number");
    result.count = count[0];
  }
  const int64_t size = dims[result.dim];
  if (result.count < 1 || result.count > size) {
    node.refuse("it takes the first " + std::to_string(result.count) + " of " +
                std::to_string(size) + " elements");
  }
  return result;
}

// Equal elements keep their order; NaN counts as the largest.
template <class Value>
void sort_line(std::vector<int64_t>& places, const Value& value_at, bool largest) {
  const auto less = [&](int64_t a, int64_t b) {
    const auto x = value_at(a), y = value_at(b);
    return x < y || (y != y && x == x);
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](int64_t a, int64_t b) { return largest ? less(b, a) : less(a, b); });
}

Constant folded_order(Node& node, const Constant& constant, const Wanted& wanted) {
  Dims dims = constant.dims;
  const int64_t size = dims[wanted.dim], step = row_major_strides(dims)[wanted.dim];
  dims[wanted.dim] = wanted.count;
  node.store().budget.charge(checked_elements(dims, node.store().limits) + size, 8);
  node.store().budget.charge(constant.count(), 8);  // for the time that it takes
  std::vector<int64_t> order(static_cast<size_t>(constant.count() / size * wanted.count));
  std::vector<int64_t> places(static_cast<size_t>(size));
  for (int64_t line = 0; line < constant.count() / size; ++line) {
    const int64_t first = line / step * step * size + line % step;
    for (int64_t i = 0; i < size; ++i) places[static_cast<size_t>(i)] = i;
    if (constant.integer) {
      const auto at = [&](int64_t i) {
        return constant.integers[static_cast<size_t>(first + i * step)];
      };
      sort_line(places, at, wanted.largest);
    } else {
      sort_line(
          places, [&](int64_t i) { return constant.floats[first + i * step]; }, wanted.largest);
    }
    const int64_t begin = line / step * step * wanted.count + line % step;
    for (int64_t i = 0; i < wanted.count; ++i)
      order[static_cast<size_t>(begin + i * step)] = places[static_cast<size_t>(i)];
  }
  return node.store().integers(dims, std::move(order));
}

// Where there is one element only.
void only_one(Node& node, const Box& box) {
  Box first = box;
  first.sole = false;
  node.set(0, first);
  node.set(1, only_index(node, first));
}

}  // namespace

void top_k(Node& node) {
  const Wanted top = wanted(node);
  if (node.is_constant(0)) {
    const Constant& known = node.constant(0);
    const Constant order = folded_order(node, known, top);
    node.set(0, folded_take(node, known, top.dim, order));
    return node.set(1, order);
  }
  Box box = node.box(0);
  if (size_of(box.view, top.dim) == 1) return only_one(node, box);
  const Axis axis = lined_up(node, box, top.dim);
  const View view = resized(*digit_of(box.view, top.dim), top.count);
  Box order = node.emit(
      Order{.axis = axis, .count = static_cast<int32_t>(top.count), .largest = top.largest},
      {box.tensor}, view);
  order.sole = false;  // the elements are read at it
  if (node.wants(0)) node.set(0, node.emit(Take{.axis = axis}, {order.tensor, box.tensor}, view));
  node.set(1, order);
}

}  // namespace shingle::onnx
