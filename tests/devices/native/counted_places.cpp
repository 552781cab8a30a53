#include "tests/devices/native/counted_places.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace shingle::tests::counted {

using networks::OnnxGraph;

std::vector<Array> inputs() {
  std::vector<Array> all;
  for (const int kept : {0, 1, 5, 11, 12}) {
    Array input{{length}, Numbers(length, 0.0F)};
    for (int i = 0; i < kept; ++i) input.values[static_cast<size_t>(i * 5 % length)] = 1.0F;
    all.push_back(std::move(input));
  }
  return all;
}

Numbers places_in(const Array& input) {
  Numbers places;
  for (size_t i = 0; i < input.values.size(); ++i)
    if (input.values[i] != 0.0F) places.push_back(static_cast<float>(i));
  return places;
}

std::string places(OnnxGraph& graph) {
  const std::string found = graph.node("NonZero", {"in"});
  return graph.node("Squeeze", {found, graph.integers({0})});
}

std::string as_floats(OnnxGraph& graph, const std::string& value) {
  return graph.node("Cast", {value}, {{"to", int64_t{1}}});
}

std::string number(OnnxGraph& graph, const std::string& list) {
  const std::string shape = graph.node("Shape", {list});
  return graph.node("Slice", {shape, graph.integers({0}), graph.integers({1})});
}

void check(const Build& build, const Expect& expect, int64_t opset) {
  for (const Array& input : inputs()) {
    OnnxGraph graph;
    const std::string last = build(graph);
    const Array computed = run_counted(graph, last, input, opset);
    const Array expected = expect(places_in(input));
    CAPTURE(places_in(input).size());
    CHECK(computed.dims == expected.dims);
    CHECK(computed.values == expected.values);
  }
}

Array list(Numbers values) {
  const auto count = std::ssize(values);
  return {{count}, std::move(values)};
}

Array one(float value) { return {{1}, {value}}; }

Numbers first_of(const Numbers& values, size_t count) {
  return {values.begin(), values.begin() + static_cast<ptrdiff_t>(std::min(count, values.size()))};
}

Numbers filled_up(Numbers values, size_t size, float by) {
  values.resize(size, by);
  return values;
}

}  // namespace shingle::tests::counted
