// The equation of an Einsum, as "ij,jk->ik": a letter for each dim of each operand and of the
// result. Dims that "..." stands for are numbered from the front by the digits 0, 1, ...; as in
// NumPy, their sizes may be 1 where another operand's are larger.
#pragma once

#include <array>
#include <string>

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

struct Equation {
  std::vector<std::string> operands;
  std::string result;
  std::array<int64_t, 128> sizes{};  // by letter; 0: no operand has it

  int64_t size(char letter) const { return sizes[static_cast<size_t>(letter)]; }
  Dims dims(const std::string& letters) const;
};

// Refuses an equation that does not fit the node's operands, and a letter of two sizes.
Equation equation_of(Node& node);

}  // namespace shingle::onnx
