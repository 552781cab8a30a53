// Operators that look at where an element stands: running sums, triangles, ones on a diagonal or at
// an index.
#include "partition/readers/onnx/operators/arg_max.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/operators/values/logic.hpp"

namespace shingle::onnx {

namespace {

constexpr int64_t most_offset = int64_t{1} << 40;

struct Running {
  int64_t size;
  bool exclusive, reverse;
};

// The value laid out so that the dim is a whole axis of the box.
Box along_an_axis(Node& node, const Box& box, size_t dim) {
  for (const std::vector<int32_t>& axis : box.view.box)
    if (axis == box.view.dims[dim]) return box;
  std::vector<bool> marked(box.view.dims.size(), false);
  marked[dim] = true;
  return with_channels(node, box, marked);
}

// The elements moved by `places` along an axis, towards its end or (`back`) its beginning. What
// moves off the map is gone, 0 comes in.
Box moved(Node& node, const Box& box, const Digit& digit, int64_t places, bool back) {
  const auto axis = static_cast<size_t>(digit.axis), dim_factor = static_cast<size_t>(digit.factor);
  const View left = resized(digit, digit.view.factors[dim_factor] - places);
  StridedSlice slice;
  Pad pad;
  if (back) slice.begin[axis] = static_cast<int32_t>(places);
  (back ? pad.after : pad.before)[axis] = static_cast<int32_t>(places);
  const Box part = node.emit(slice, {box.tensor}, left, box_shape(left));
  return node.emit(pad, {part.tensor}, box.view);
}

// Each step adds to an element the sum of as many elements before it as it sums up so far: 1, 2, 4,
// ... So the order of a sum depends only on the place, and an element is in no sum but those that
// have it.
Box summed(Node& node, const Box& box, size_t dim, const Running& running) {
  if (running.size == 1)
    return running.exclusive ? combine(node, Binary::Kind::drop, box, 1.0F) : box;
  Box sums = along_an_axis(node, box, dim);
  const Digit digit = *digit_of(sums.view, dim);
  if (running.exclusive) sums = moved(node, sums, digit, 1, running.reverse);
  for (int64_t step = 1; step < running.size; step *= 2) {
    const Box before = moved(node, sums, digit, step, running.reverse);
    sums = node.emit(Binary{Binary::Kind::add}, {sums.tensor, before.tensor}, sums.view);
  }
  return sums;
}

Constant summed(Node& node, const Constant& constant, size_t dim, const Running& running) {
  const int64_t stride = row_major_strides(constant.dims)[dim];
  node.store().budget.charge(constant.count(), 8);
  std::vector<int64_t> integers(static_cast<size_t>(constant.integer ? constant.count() : 0));
  std::vector<float> floats(static_cast<size_t>(constant.integer ? 0 : constant.count()));
  for (int64_t first = 0; first < constant.count(); ++first) {
    if (first / stride % running.size != 0) continue;  // one turn for each row
    uint64_t whole = 0;
    double sum = 0.0;
    for (int64_t step = 0; step < running.size; ++step) {
      const int64_t at = running.reverse ? running.size - 1 - step : step;
      const auto place = static_cast<size_t>(first + at * stride);
      const auto before = running.exclusive ? std::pair(whole, sum) : std::pair<uint64_t, double>();
      if (constant.integer) whole += static_cast<uint64_t>(constant.integers[place]);
      if (!constant.integer) sum += constant.at(static_cast<int64_t>(place));
      const auto [whole_there, sum_there] = running.exclusive ? before : std::pair(whole, sum);
      if (constant.integer) integers[place] = static_cast<int64_t>(whole_there);
      if (!constant.integer) floats[place] = static_cast<float>(sum_there);
    }
  }
  if (constant.integer) return node.store().integers(constant.dims, std::move(integers));
  return node.store().floats(constant.dims, std::move(floats));
}

int64_t checked_offset(Node& node, int64_t offset) {
  if (offset < -most_offset || offset > most_offset) node.refuse("its k is too large");
  return offset;
}

// [rows][columns]: 1 where keep(column - row) holds, otherwise 0.
template <class Keep>
Constant pattern(Node& node, int64_t rows, int64_t columns, Keep keep) {
  const Dims dims{rows, columns};
  node.store().budget.charge(checked_elements(dims, node.store().limits), 8);
  std::vector<int64_t> values;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      values.push_back(keep(column - row) ? 1 : 0);
    }
  }
  return node.store().integers(dims, std::move(values));
}

// 0, 1, ... along a dim that `behind` dims follow.
Constant counted(Node& node, int64_t first, int64_t size, size_t behind) {
  node.store().budget.charge(size);
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) values.push_back(static_cast<float>(first + i));
  Dims dims(behind + 1, 1);
  dims[0] = size;
  return node.store().floats(dims, std::move(values));
}

}  // namespace

void cum_sum(Node& node) {
  const Dims dims = node.dims(0);
  const Constant& axis = node.constant(1);
  if (!axis.integer || axis.count() != 1) node.refuse("its axis is not one integer");
  const size_t dim = node.axis(axis.integers[0], dims.size());
  const Running running{.size = dims[dim],
                        .exclusive = node.integer("exclusive", 0) != 0,
                        .reverse = node.integer("reverse", 0) != 0};
  if (node.is_constant(0)) return node.set(summed(node, node.constant(0), dim, running));
  node.set(summed(node, node.box(0), dim, running));
}

void trilu(Node& node) {
  const Dims dims = node.dims(0);
  if (dims.size() < 2) node.refuse("its input is " + text_of(dims));
  const bool upper = node.integer("upper", 1) != 0;
  int64_t k = 0;
  if (node.has(1)) {
    const Constant& offset = node.constant(1);
    if (!offset.integer || offset.count() != 1) node.refuse("its k is not one integer");
    k = checked_offset(node, offset.integers[0]);
  }
  const Constant triangle = pattern(node, dims[dims.size() - 2], dims.back(),
                                    [&](int64_t i) { return upper ? i >= k : i <= k; });
  if (!node.is_constant(0)) {
    return node.set(combine(node, Binary::Kind::keep, node.box(0), triangle));
  }
  const Constant& known = node.constant(0);
  const Constant zero =
      known.integer ? node.store().integers({}, {0}) : node.store().floats({}, {0.0F});
  node.set(folded_where(node, triangle, known, zero));
}

void eye_like(Node& node) {
  const Dims dims = node.dims(0);
  if (dims.size() != 2) node.refuse("its input is " + text_of(dims));
  const int64_t k = checked_offset(node, node.integer("k", 0));
  const Constant ones = pattern(node, dims[0], dims[1], [&](int64_t i) { return i == k; });
  const Numbers usual = node.numbers(0);
  const Numbers numbers =
      node.has_attribute("dtype") ? numbers_of(node.integer("dtype", 0)).value_or(usual) : usual;
  node.set(numbers == Numbers::real ? cast_constant(node, ones, DataType::f32) : ones);
}

// The index is compared with every place, and with every place counted from the end.
void one_hot(Node& node) {
  const double wanted = static_cast<double>(node.scalar(1));
  if (!(wanted >= 1.0 && wanted <= static_cast<double>(node.store().limits.max_dimension))) {
    node.refuse("its depth is not a number from 1 to " +
                std::to_string(node.store().limits.max_dimension));
  }
  const auto depth = static_cast<int64_t>(wanted);
  const Constant& values = node.constant(2);
  if (values.count() != 2) node.refuse("it does not have two values, off and on");
  Box index = node.box(0);
  const size_t rank = index.view.dims.size();
  const size_t dim = node.axis(node.integer("axis", -1), rank + 1);
  if (index.numbers == Numbers::real) {
    index = node.activate(index, {.kind = Activation::Kind::truncate});
  }
  index.sole = false;
  index.view.dims.insert(index.view.dims.begin() + static_cast<ptrdiff_t>(dim),
                         std::vector<int32_t>());
  const Box hit = combine(node, Binary::Kind::equal, index, counted(node, 0, depth, rank - dim));
  const Box behind =
      combine(node, Binary::Kind::equal, index, counted(node, -depth, depth, rank - dim));
  const Box there = combine(node, Binary::Kind::max, hit, behind);
  const Constant off = node.store().floats({}, {static_cast<float>(values.at(0))});
  const Constant on = node.store().floats({}, {static_cast<float>(values.at(1))});
  if (values.at(0) == 0.0 && values.at(1) == 1.0) return node.set(there);
  node.set(either(node, there, on, off));
}

// 1 at the first largest element along a dim, otherwise 0.
void hardmax(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  const bool flattens = node.opset() < 13;  // then all dims from the axis on form one dim
  const size_t dim = node.axis(node.integer("axis", flattens ? 1 : -1), dims.size());
  for (size_t other = dim + 1; flattens && other < dims.size(); ++other) {
    if (dims[other] != 1) node.refuse("it takes several dimensions as one; export with opset 13");
  }
  const Box index = first_largest(node, box, dim);
  node.set(combine(node, Binary::Kind::equal, index,
                   counted(node, 0, dims[dim], dims.size() - 1 - dim)));
}

}  // namespace shingle::onnx
