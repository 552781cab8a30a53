// Which input elements one output element reads, enumerated from each operator's definition, one
// element at a time. Slow and plain on purpose: the oracle that demand() is held against. It knows
// elements and taps, not spans and hulls.
#pragma once

#include <vector>

#include "partition/model/model.hpp"

namespace shingle::oracle {

struct Element {
  int32_t y = 0, x = 0, c = 0;
};

// Elements of input `input` on the map that output element `at` reads; padding is no element.
std::vector<Element> dependencies(const Model& model, const Layer& layer, size_t input, Element at);

// The smallest box round the dependencies of all elements of `output`.
Region dependency_hull(const Model& model, const Layer& layer, size_t input, const Region& output);

}  // namespace shingle::oracle
