// Operators on values that the file gives integers and booleans: what rounds, and what stays exact.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "partition/base/half.hpp"
#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

constexpr int64_t int64_type = 7, bool_type = 9, half_type = 10;
constexpr int64_t large = int64_t{1} << 40;  // and one more is no float

std::string cast(OnnxGraph& graph, const std::string& value, int64_t type) {
  return graph.node("Cast", {value}, {{"to", type}});
}

// Subtracts `large` from a constant of one element, and returns the rest.
double beyond_large(OnnxGraph& graph, const std::string& constant) {
  const std::string rest = graph.node("Sub", {constant, graph.integers({large})});
  const std::string last = graph.node("Add", {"in", cast(graph, rest, 1)});
  return static_cast<double>(run_onnx(graph, last, {{1}, {0.0F}}).values[0]);
}

double sum_of_row(const Array& array, Dims at, double (*term)(double)) {
  double sum = 0.0;
  for (at[3] = 0; at[3] < array.dims[3]; ++at[3]) sum += term(array.at(at));
  return sum;
}

}  // namespace

TEST_CASE("Integer constants are clipped and summed as integers") {
  for (const bool low : {true, false}) {
    OnnxGraph graph;
    const std::string bound = graph.integers({large + 1});
    const std::string value = graph.integers({low ? large - 5 : large + 9});
    const std::string clipped = graph.node("Clip", {value, low ? bound : "", low ? "" : bound});
    CHECK(beyond_large(graph, clipped) == 1.0);
  }
  OnnxGraph graph;
  const std::string sum =
      graph.node("Einsum", {graph.integers({large + 1, 5}), graph.integers({1, 2})},
                 {{"equation", std::string("i,i->")}});
  CHECK(beyond_large(graph, graph.node("Reshape", {sum, graph.integers({1})})) == 11.0);
}

TEST_CASE("A mean and a norm of integers are rounded towards 0") {
  const Array input = random_whole_array({1, 3, 5, 7}, 3, 40.0F);
  for (const bool mean : {true, false}) {
    OnnxGraph graph;
    const std::string whole = cast(graph, "in", int64_type);
    const std::string reduced =
        graph.node(mean ? "ReduceMean" : "ReduceL2", {whole}, {{"axes", Dims{3}}});
    check_everywhere(run_onnx(graph, reduced, input), {1, 3, 5, 1}, [&](const Dims& at) {
      if (mean) return std::trunc(sum_of_row(input, at, [](double x) { return x; }) / 7.0);
      return std::trunc(std::sqrt(sum_of_row(input, at, [](double x) { return x * x; })));
    });
  }
}

TEST_CASE("A mean of integers that has no rest is that integer, whatever it is divided by") {
  for (const int64_t count : {3, 7, 41, 49}) {
    Array input{{1, 1, 1, count}, {}};
    input.values.assign(static_cast<size_t>(count), 11.0F);
    OnnxGraph graph;
    const std::string mean =
        graph.node("ReduceMean", {cast(graph, "in", int64_type)}, {{"axes", Dims{3}}});
    CHECK(run_onnx(graph, mean, input).values[0] == 11.0F);
  }
}

TEST_CASE("A mean of integer constants is rounded towards 0") {
  OnnxGraph graph;
  const std::string mean = graph.node("ReduceMean", {graph.integers({-3, 1, 0})});
  const std::string last = graph.node("Add", {"in", cast(graph, mean, 1)});
  CHECK(run_onnx(graph, last, {{1}, {0.0F}}).values[0] == 0.0F);
}

TEST_CASE("CastLike casts to the type of a constant, 16 bits and booleans among them") {
  const Array input{{1, 4}, {0.0F, 0.3F, -0.7F, 2049.0F}};
  for (const int64_t type : {half_type, bool_type, int64_type}) {
    OnnxGraph graph;
    const std::string like = graph.tensor({1}, type,
                                          std::string(type == half_type   ? 2
                                                      : type == bool_type ? 1
                                                                          : 8,
                                                      '\0'));
    const std::string known = graph.node("CastLike", {graph.floats({1, 4}, input.values), like});
    const std::string value = graph.node("CastLike", {"in", like});
    const std::string joined =
        graph.node("Concat", {cast(graph, known, 1), value}, {{"axis", int64_t{0}}});
    check_everywhere(run_onnx(graph, joined, input, 15), {2, 4}, [&](const Dims& at) {
      const auto x = static_cast<double>(input.at({0, at[1]}));
      if (type == bool_type) return x != 0.0 ? 1.0 : 0.0;
      return type == half_type ? static_cast<double>(rounded_to_half(static_cast<float>(x)))
                               : std::trunc(x);
    });
  }
}

}  // namespace shingle::tests
