// A value whose size depends on the input, to try operators on: the list of the places at which the
// input is not 0. Tests know what it holds for each input.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/devices/native/counted_runs.hpp"

namespace shingle::tests::counted {

using Numbers = std::vector<float>;

inline constexpr int64_t length = 12;  // of the input

// Inputs with none, one, some and all elements that are not 0.
std::vector<Array> inputs();

// What the list holds for this input, and its nodes: [n], as integers.
Numbers places_in(const Array& input);
std::string places(networks::OnnxGraph& graph);

std::string as_floats(networks::OnnxGraph& graph, const std::string& value);

// [1]: the size of `list`.
std::string number(networks::OnnxGraph& graph, const std::string& list);

// Runs the value that `build` adds to a graph, for each of inputs(), and holds it against
// expect(what the list holds).
using Build = std::function<std::string(networks::OnnxGraph&)>;
using Expect = std::function<Array(const Numbers& places)>;
void check(const Build& build, const Expect& expect, int64_t opset = 13);

// What tests expect: arrays of one dimension, the first `count` of some values (or all, if they are
// fewer), and values followed by others up to a size.
Array list(Numbers values);
Array one(float value);
Numbers first_of(const Numbers& values, size_t count);
Numbers filled_up(Numbers values, size_t size, float by);

}  // namespace shingle::tests::counted
