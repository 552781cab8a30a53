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

// Which elements of a row of `size` a running sum at `place` holds.
struct Running {
  int64_t size;
  bool exclusive, reverse;

  bool holds(int64_t place, int64_t i) const {
    if (i == place) return !exclusive;
    return reverse ? i > place : i < place;
  }
};

// A product with a triangle of ones, as a 1x1 convolution over the dim.
Box summed(Node& node, const Box& box, size_t dim, const Running& running) {
  const int64_t size = running.size;
  node.store().budget.charge(size * size);  // a dimension is at most 2^20
  std::vector<float> weights;
  for (int64_t place = 0; place < size; ++place) {
    for (int64_t i = 0; i < size; ++i) weights.push_back(running.holds(place, i) ? 1.0F : 0.0F);
  }
  std::vector<bool> marked(box.view.dims.size(), false);
  marked[dim] = true;
  const Box laid = with_channels(node, box, marked);
  const Convolution sums{.y = {},
                         .x = {},
                         .groups = 1,
                         .weights = add_constant(node.model(), std::move(weights)),
                         .bias = std::nullopt};
  return node.emit(sums, {laid.tensor}, laid.view);
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
