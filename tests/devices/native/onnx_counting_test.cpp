// ONNX operators that look at where an element stands, and normalisations of newer opsets.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

double held(bool holds) { return holds ? 1.0 : 0.0; }

}  // namespace

TEST_CASE("A running sum counts to the element, from the front or from the back") {
  const Array input = random_array({1, 3, 6, 5}, 1);
  for (const int64_t exclusive : {0, 1}) {
    for (const int64_t reverse : {0, 1}) {
      for (const int64_t axis : {1, 2, -1}) {
        CAPTURE(axis);
        OnnxGraph graph;
        const Array computed =
            run_onnx(graph,
                     {.op = "CumSum",
                      .attributes = {{"exclusive", exclusive}, {"reverse", reverse}},
                      .opset = 14},
                     input, {graph.integers({axis})});
        const auto dim = static_cast<size_t>(axis < 0 ? axis + 4 : axis);
        check_everywhere(computed, input.dims, [&](const Dims& at) {
          double sum = 0.0;
          Dims other = at;
          for (int64_t i = 0; i < input.dims[dim]; ++i) {
            other[dim] = i;
            const bool before = reverse != 0 ? i > at[dim] : i < at[dim];
            if (before || (i == at[dim] && exclusive == 0)) sum += input.at(other);
          }
          return sum;
        });
      }
    }
  }
}

TEST_CASE("What is infinite or no number in a running sum reaches only what lies behind it") {
  Array input = random_array({1, 2, 3, 11}, 9);
  input.values[4] = INFINITY;   // of the first row
  input.values[11 + 7] = -NAN;  // of the second
  for (const int64_t reverse : {0, 1}) {
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph, {.op = "CumSum", .attributes = {{"reverse", reverse}}, .opset = 14}, input,
                 {graph.integers({3})});
    for_each_index(input.dims, [&](const Dims& at) {
      const bool first = at[1] == 0 && at[2] == 0, second = at[1] == 0 && at[2] == 1;
      const auto reached = [&](int64_t place) {
        return reverse != 0 ? at[3] <= place : at[3] >= place;
      };
      const double sum = computed.at(at);
      CHECK(std::isinf(sum) == (first && reached(4)));
      CHECK(std::isnan(sum) == (second && reached(7)));
    });
  }
}

TEST_CASE("A running sum of constants is that of a map") {
  const Array input = random_array({1, 2, 4, 3}, 2);
  for (const int64_t exclusive : {0, 1}) {
    OnnxGraph graph;
    const networks::OnnxAttributes attributes{{"exclusive", exclusive}, {"reverse", int64_t{1}}};
    const std::string axis = graph.integers({2});
    const std::string known =
        graph.node("CumSum", {graph.floats(input.dims, input.values), axis}, attributes);
    const std::string map = graph.node("CumSum", {"in", axis}, attributes);
    check_everywhere(run_onnx(graph, graph.node("Sub", {known, map}), input, 14), input.dims,
                     [](const Dims&) { return 0.0; });
  }
}

TEST_CASE("Trilu keeps a triangle") {
  const Array input = random_array({1, 2, 6, 5}, 3);
  for (const int64_t upper : {0, 1}) {
    for (const int64_t k : {-2, 0, 1, 9}) {
      CAPTURE(k);
      OnnxGraph graph;
      const Array computed =
          run_onnx(graph, {.op = "Trilu", .attributes = {{"upper", upper}}, .opset = 14}, input,
                   {graph.integers({k})});
      check_everywhere(computed, input.dims, [&](const Dims& at) {
        const int64_t right = at[3] - at[2];
        return (upper != 0 ? right >= k : right <= k) ? input.at(at) : 0.0;
      });
    }
  }
}

TEST_CASE("EyeLike has ones on the diagonal that it names") {
  const Array input = random_array({6, 5}, 4);
  OnnxGraph graph;
  const std::string eye = graph.node("EyeLike", {"in"}, {{"k", int64_t{1}}});
  check_everywhere(run_onnx(graph, graph.node("Add", {"in", eye}), input), input.dims,
                   [&](const Dims& at) { return input.at(at) + held(at[1] == at[0] + 1); });
}

TEST_CASE("OneHot counts from both ends, and puts its dim where it should be") {
  Array input = random_array({1, 3, 4}, 5);
  for (size_t i = 0; i < input.values.size(); ++i) {
    input.values[i] = static_cast<float>(static_cast<int64_t>(i) - 6);  // some beyond the depth
  }
  for (const int64_t axis : {-1, 1, 0}) {
    CAPTURE(axis);
    OnnxGraph graph;
    const std::string indices = graph.node("Cast", {"in"}, {{"to", int64_t{7}}});
    const Array computed = run_onnx(
        graph,
        graph.node("OneHot", {indices, graph.integers({4}), graph.floats({2}, {-1.0F, 3.0F})},
                   {{"axis", axis}}),
        input);
    const auto dim = static_cast<size_t>(axis < 0 ? 3 : axis);
    Dims dims = input.dims;
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(dim), 4);
    check_everywhere(computed, dims, [&](Dims at) {
      const int64_t place = at[dim];
      at.erase(at.begin() + static_cast<ptrdiff_t>(dim));
      const auto index = static_cast<int64_t>(input.at(at));
      return index == place || index + 4 == place ? 3.0 : -1.0;
    });
  }
}

TEST_CASE("Hardmax marks the first largest element") {
  const Array input = random_whole_array({1, 5, 4, 3}, 6, 2.0F);
  for (const int64_t axis : {1, 2, -1}) {
    CAPTURE(axis);
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph, {.op = "Hardmax", .attributes = {{"axis", axis}}}, input);
    const auto dim = static_cast<size_t>(axis < 0 ? axis + 4 : axis);
    check_everywhere(computed, input.dims, [&](const Dims& at) {
      Dims other = at;
      bool first = true;
      for (int64_t i = 0; i < input.dims[dim]; ++i) {
        other[dim] = i;
        const double x = input.at(other), own = input.at(at);
        first = first && (i < at[dim] ? x < own : x <= own);
      }
      return held(first);
    });
  }
}

TEST_CASE("CenterCropPad cuts and pads at both ends") {
  const Array input = random_array({1, 3, 9, 4}, 7);
  OnnxGraph graph;
  const Array computed =
      run_onnx(graph, {.op = "CenterCropPad", .attributes = {{"axes", Dims{2, 3}}}, .opset = 18},
               input, {graph.integers({4, 7})});
  check_everywhere(computed, {1, 3, 4, 7}, [&](const Dims& at) {
    const int64_t x = at[3] - 1;
    return x < 0 || x >= 4 ? 0.0 : input.at({0, at[1], at[2] + 2, x});
  });
}

TEST_CASE("A product over whole dims") {
  const Array input = random_array({1, 4, 3, 5}, 8);
  for (const Dims& axes : {Dims{1}, Dims{2, 3}, Dims{1, 2, 3}}) {
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph, {.op = "ReduceProd", .opset = 18}, input, {graph.integers(axes)});
    Dims dims = input.dims;
    for (const int64_t axis : axes) dims[static_cast<size_t>(axis)] = 1;
    check_everywhere(computed, dims, [&](const Dims& at) {
      double product = 1.0;
      for_each_index(input.dims, [&](const Dims& other) {
        for (size_t dim = 0; dim < 4; ++dim)
          if (dims[dim] != 1 && other[dim] != at[dim]) return;
        product *= input.at(other);
      });
      return product;
    });
  }
}

TEST_CASE("Group normalisation takes its scale by group in opset 18, by channel from 21 on") {
  const Array input = random_array({1, 6, 5, 4}, 9);
  for (const int64_t opset : {18, 21}) {
    CAPTURE(opset);
    const int64_t count = opset < 21 ? 3 : 6;
    const Array scale = random_array({count}, 10), shift = random_array({count}, 11);
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph,
                 {.op = "GroupNormalization",
                  .attributes = {{"num_groups", int64_t{3}}, {"epsilon", 0.02F}},
                  .opset = opset},
                 input, {graph.floats({count}, scale.values), graph.floats({count}, shift.values)});
    check_everywhere(computed, input.dims, [&](const Dims& at) {
      double sum = 0.0, squares = 0.0;
      for_each_index(input.dims, [&](const Dims& other) {
        if (other[1] / 2 != at[1] / 2) return;
        sum += input.at(other);
        squares += input.at(other) * input.at(other);
      });
      const double mean = sum / 40.0, variance = squares / 40.0 - mean * mean;
      const Dims which{opset < 21 ? at[1] / 2 : at[1]};
      return (input.at(at) - mean) / std::sqrt(variance + 0.02) * scale.at(which) + shift.at(which);
    });
  }
}

TEST_CASE("RMS normalisation divides by the root of the mean square of the last dims") {
  const Array input = random_array({1, 4, 6, 5}, 12);
  for (const int64_t axis : {-1, 2}) {
    CAPTURE(axis);
    const Dims last = axis == -1 ? Dims{5} : Dims{6, 5};
    const Array scale = random_array(last, 13);
    OnnxGraph graph;
    const Array computed = run_onnx(
        graph,
        {.op = "RMSNormalization", .attributes = {{"axis", axis}, {"epsilon", 0.02F}}, .opset = 23},
        input, {graph.floats(last, scale.values)});
    check_everywhere(computed, input.dims, [&](const Dims& at) {
      double squares = 0.0, count = 0.0;
      for_each_index(input.dims, [&](const Dims& other) {
        if (other[1] != at[1] || (axis == -1 && other[2] != at[2])) return;
        squares += input.at(other) * input.at(other);
        count += 1.0;
      });
      const Dims inner = axis == -1 ? Dims{at[3]} : Dims{at[2], at[3]};
      return input.at(at) / std::sqrt(squares / count + 0.02) * scale.at(inner);
    });
  }
}

TEST_CASE("Layer normalisation gives its mean and inverse deviation to who asks for them") {
  const Array input = random_array({1, 6, 5}, 14);
  for (const size_t output : {1U, 2U}) {
    OnnxGraph graph;
    const std::string ones = graph.floats({5}, std::vector<float>(5, 1.0F));
    graph.node_with_outputs("LayerNormalization", {"in", ones}, {{"epsilon", 0.02F}},
                            {"normal", "mean", "inverse"});
    const std::string asked = output == 1 ? "mean" : "inverse";
    const std::string last =
        graph.node("Add", {graph.node("Mul", {"normal", graph.scalar(0.0F)}), asked});
    check_everywhere(run_onnx(graph, last, input, 17), input.dims, [&](const Dims& at) {
      double sum = 0.0, squares = 0.0;
      for (int64_t i = 0; i < 5; ++i) {
        const double x = input.at({0, at[1], i});
        sum += x;
        squares += x * x;
      }
      const double mean = sum / 5.0, variance = squares / 5.0 - mean * mean;
      return output == 1 ? mean : 1.0 / std::sqrt(variance + 0.02);
    });
  }
}

}  // namespace shingle::tests
