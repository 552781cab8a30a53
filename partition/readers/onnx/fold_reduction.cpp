// Reductions of constants: numbers of elements and the like, which exporters leave in files.
#include <cmath>

#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"

namespace shingle::onnx {

namespace {

// Integers wrap round.
int64_t together(Node& node, int64_t total, int64_t x) {
  const std::string_view op = node.op();
  const auto a = static_cast<uint64_t>(total), b = static_cast<uint64_t>(x);
  if (op == "ReduceSum" || op == "ReduceMean") return static_cast<int64_t>(a + b);
  if (op == "ReduceProd") return static_cast<int64_t>(a * b);
  if (op == "ReduceMax") return std::max(total, x);
  if (op == "ReduceMin") return std::min(total, x);
  node.refuse("shingle does not compute it on integer constants");
}

double together(Node& node, double total, double x) {
  const std::string_view op = node.op();
  if (op == "ReduceSum" || op == "ReduceMean") return total + x;
  if (op == "ReduceProd") return total * x;
  if (op == "ReduceMax") return std::max(total, x);
  if (op == "ReduceMin") return std::min(total, x);
  node.refuse("shingle does not compute it on constants");
}

// For each element of the result: all elements of the constant that it is made of, one by one.
template <class Number, class Element>
std::vector<Number> totals(Node& node, const Dims& dims, const std::vector<bool>& marked,
                           int64_t results, Element element) {
  Dims kept;
  for (size_t dim = 0; dim < dims.size(); ++dim) kept.push_back(marked[dim] ? 1 : dims[dim]);
  const std::vector<int64_t> to = row_major_strides(kept);
  std::vector<Number> sums(static_cast<size_t>(results));
  std::vector<bool> begun(sums.size(), false);
  const int64_t count = checked_elements(dims, node.store().limits);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = 0;
    for (size_t dim = dims.size(); dim-- > 0;) {
      if (!marked[dim]) at += rest % dims[dim] * to[dim];
      rest /= dims[dim];
    }
    const auto place = static_cast<size_t>(at);
    sums[place] = begun[place] ? together(node, sums[place], element(i)) : element(i);
    begun[place] = true;
  }
  return sums;
}

}  // namespace

Constant folded_reduction(Node& node, const Constant& constant, const std::vector<bool>& marked) {
  const bool keeps = node.integer("keepdims", 1) != 0;
  Dims dims;
  int64_t results = 1;
  for (size_t dim = 0; dim < marked.size(); ++dim) {
    if (!marked[dim]) results *= constant.dims[dim];
    if (!marked[dim] || keeps) dims.push_back(marked[dim] ? 1 : constant.dims[dim]);
  }
  if (constant.count() == 0) node.refuse("its input has no elements");
  node.store().budget.charge(results, 9);
  node.store().budget.charge(constant.count(), 8);  // for the time that it takes
  if (constant.integer) {
    auto sums = totals<int64_t>(node, constant.dims, marked, results, [&](int64_t i) {
      return constant.integers[static_cast<size_t>(i)];
    });
    for (int64_t& sum : sums)
      if (node.op() == "ReduceMean") sum /= constant.count() / results;
    return node.store().integers(dims, std::move(sums));
  }
  const auto sums = totals<double>(node, constant.dims, marked, results,
                                   [&](int64_t i) { return constant.at(i); });
  const auto each = static_cast<double>(constant.count() / results);
  std::vector<float> values;
  for (const double sum : sums) {
    values.push_back(static_cast<float>(node.op() == "ReduceMean" ? sum / each : sum));
  }
  return node.store().floats(dims, std::move(values));
}

}  // namespace shingle::onnx
