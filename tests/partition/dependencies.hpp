// Which input elements one output element reads, enumerated from each operator's definition, one
// element at a time. It is slow and simple on purpose: it is the oracle for demand(), and it uses
// elements and taps instead of spans and hulls.
#pragma once

#include <vector>

#include "partition/model/model.hpp"

namespace shingle::oracle {

struct Element {
  int32_t y = 0, x = 0, c = 0;
};

// Elements of input `input` on the map that output element `at` reads; padding does not count.
std::vector<Element> dependencies(const Model& model, const Layer& layer, size_t input, Element at);

// The smallest box that contains the dependencies of all elements of `output`.
Region dependency_hull(const Model& model, const Layer& layer, size_t input, const Region& output);

}  // namespace shingle::oracle
