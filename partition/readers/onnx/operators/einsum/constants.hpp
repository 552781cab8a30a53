// Einsum of constants: the sum over all values of all letters, written out.
#pragma once

#include "partition/readers/onnx/operators/einsum/equation.hpp"

namespace shingle::onnx {

// A constant and the letters of its dims. A letter may stand twice: then only its diagonal counts.
struct Lettered {
  const Constant& constant;
  std::string letters;
};

// With the dims that `result` names: integers if all operands are, otherwise floats. REQUIRES: all
// letters have the equation's sizes.
Constant summed_constants(Node& node, const Equation& equation,
                          const std::vector<Lettered>& operands, const std::string& result);

}  // namespace shingle::onnx
