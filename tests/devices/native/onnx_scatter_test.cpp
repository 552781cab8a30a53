// Scatter, ScatterElements and ScatterND, held against ONNX's definition.
#include <doctest/doctest.h>

#include "tests/devices/native/indexed_graphs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

double changed(const std::string& reduction, double old, double update) {
  if (reduction == "add")
    return static_cast<double>(static_cast<float>(old) + static_cast<float>(update));
  if (reduction == "mul")
    return static_cast<double>(static_cast<float>(old) * static_cast<float>(update));
  if (reduction == "max") return std::max(old, update);
  if (reduction == "min") return std::min(old, update);
  return update;
}

size_t place_in(const Dims& dims, const Dims& at) {
  int64_t place = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim) place = place * dims[dim] + at[dim];
  return static_cast<size_t>(place);
}

const char* const reductions[] = {"none", "add", "mul", "max", "min"};

}  // namespace

TEST_CASE("ScatterElements changes elements at their indices, one update after the other") {
  struct Case {
    Dims map;
    int64_t axis;
    Dims indices;
  };
  const Case cases[] = {{{1, 5, 6, 7}, 1, {1, 8, 6, 7}},
                        {{1, 5, 6, 7}, 2, {1, 3, 4, 2}},
                        {{1, 5, 6, 7}, 3, {1, 5, 6, 3}},
                        {{1, 30, 4}, 1, {1, 9, 4}},
                        {{9}, 0, {5}},
                        {{4, 5}, 0, {3, 2}},
                        {{2, 3, 4, 2, 3}, 2, {2, 3, 3, 2, 3}},
                        {{1, 6, 5}, 2, {1, 1, 9}}};
  for (const char* reduction : reductions) {
    for (const Case& each : cases) {
      CAPTURE(reduction);
      CAPTURE(each.axis);
      const auto axis = static_cast<size_t>(each.axis);
      OnnxGraph graph;
      Indexed graph_of(graph, {.map = each.map,
                               .indices = each.indices,
                               .size = each.map[axis],
                               .updates = each.indices});
      const std::string last =
          graph.node("ScatterElements", {graph_of.map, graph_of.indices, graph_of.updates},
                     {{"axis", each.axis}, {"reduction", std::string(reduction)}});
      Array expected = graph_of.all_elements();
      for_each_index(each.indices, [&](const Dims& at) {
        Dims place = at;
        place[axis] = graph_of.index(at);
        float& value = expected.values[place_in(each.map, place)];
        value = static_cast<float>(
            changed(reduction, static_cast<double>(value), graph_of.all_updates().at(at)));
      });
      check_everywhere(
          graph_of.run(last, 18), each.map, [&](const Dims& at) { return expected.at(at); }, 0.0);
    }
  }
}

TEST_CASE("ScatterND changes what tuples of indices name") {
  struct Case {
    Dims map, indices, updates;
  };
  const Case cases[] = {{{5, 6, 7}, {4, 2}, {4, 7}},
                        {{5, 6, 7}, {9, 3}, {9}},
                        {{5, 6, 7}, {2, 3, 1}, {2, 3, 6, 7}},
                        {{1, 12, 4}, {1, 9, 2}, {1, 9, 4}},
                        {{1, 3, 4, 5}, {1, 2, 2, 5, 4}, {1, 2, 2, 5}}};
  for (const char* reduction : reductions) {
    for (const Case& each : cases) {
      CAPTURE(reduction);
      OnnxGraph graph;
      Indexed graph_of(graph, {.map = each.map, .indices = each.indices, .updates = each.updates});
      const std::string last =
          graph.node("ScatterND", {graph_of.map, graph_of.indices, graph_of.updates},
                     {{"reduction", std::string(reduction)}});
      const auto leading = std::ssize(each.indices) - 1;
      Array expected = graph_of.all_elements();
      for_each_index(each.updates, [&](const Dims& at) {
        Dims place;
        for (int64_t i = 0; i < each.indices.back(); ++i) {
          Dims tuple(at.begin(), at.begin() + leading);
          tuple.push_back(i);
          place.push_back(graph_of.index(tuple));
        }
        place.insert(place.end(), at.begin() + leading, at.end());
        float& value = expected.values[place_in(each.map, place)];
        value = static_cast<float>(
            changed(reduction, static_cast<double>(value), graph_of.all_updates().at(at)));
      });
      check_everywhere(
          graph_of.run(last, 18), each.map, [&](const Dims& at) { return expected.at(at); }, 0.0);
    }
  }
}

TEST_CASE("An update off the map changes nothing") {
  const Array input = random_array({1, 5}, 1);
  Array both{{}, input.values};
  for (const float value : {5.0F, -6.0F, NAN, -5.0F, 1e20F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F})
    both.values.push_back(value);
  both.dims = {15};
  OnnxGraph graph;
  const std::string map = part_of_input(graph, {1, 5}, 0), at = part_of_input(graph, {1, 5}, 5),
                    updates = part_of_input(graph, {1, 5}, 10);
  const std::string last =
      graph.node("ScatterElements", {map, at, updates}, {{"axis", int64_t{1}}});
  check_everywhere(
      run_onnx(graph, last, both), {1, 5},
      [&](const Dims& place) { return place[1] == 0 ? 4.0 : input.at(place); }, 0.0);
}

TEST_CASE("Values are put into a constant, as exported slices are") {
  const Array input = random_array({1, 3, 4}, 2);
  // out[:, 1:4, ::2] = in, out is 1x5x8 of ones
  Dims tuples;
  for (int64_t y = 1; y < 4; ++y)
    for (int64_t x = 0; x < 8; x += 2) tuples.insert(tuples.end(), {0, y, x});
  OnnxGraph graph;
  const std::string ones = graph.floats({1, 5, 8}, std::vector<float>(40, 1.0F));
  const std::string at =
      graph.node("Reshape", {graph.integers(tuples), graph.integers({1, 3, 4, 3})});
  check_everywhere(
      run_onnx(graph, graph.node("ScatterND", {ones, at, "in"}), input), {1, 5, 8},
      [&](const Dims& place) {
        const bool inside = place[1] >= 1 && place[1] < 4 && place[2] % 2 == 0;
        return inside ? input.at({0, place[1] - 1, place[2] / 2}) : 1.0;
      },
      0.0);
}

TEST_CASE("Scattering of constants alone is done when the file is read") {
  const Array input = random_array({1, 2, 3}, 3);
  OnnxGraph graph;
  const std::string zeros = graph.floats({2, 3}, std::vector<float>(6, 0.0F));
  const std::string tuples =
      graph.node("Reshape", {graph.integers({0, 1, -1, -1}), graph.integers({2, 2})});
  const std::string mask =
      graph.node("ScatterND", {zeros, tuples, graph.floats({2}, {2.0F, 3.0F})});
  const std::string row = graph.node("Reshape", {graph.integers({0, 0}), graph.integers({1, 2})});
  const std::string more =
      graph.node("ScatterElements", {mask, row, graph.floats({1, 2}, {5.0F, 6.0F})},
                 {{"axis", int64_t{1}}, {"reduction", std::string("add")}});
  check_everywhere(run_onnx(graph, graph.node("Add", {"in", more}), input, 16), input.dims,
                   [&](const Dims& at) {
                     const double added[] = {11.0, 2.0, 0.0, 0.0, 0.0, 3.0};
                     return input.at(at) + added[at[1] * 3 + at[2]];
                   });
}

}  // namespace shingle::tests
