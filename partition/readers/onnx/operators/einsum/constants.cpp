#include "partition/readers/onnx/operators/einsum/constants.hpp"

#include "partition/readers/onnx/operators/movement.hpp"

namespace shingle::onnx {

namespace {

// The result's letters, then those that are summed over.
std::string all_letters(const std::vector<Lettered>& operands, const std::string& result) {
  std::string letters = result;
  for (const Lettered& operand : operands) {
    for (const char letter : operand.letters)
      if (letters.find(letter) == std::string::npos) letters += letter;
  }
  return letters;
}

// By letter: how far one step of it moves in the operand.
std::vector<int64_t> strides_of(const std::string& letters, const Lettered& operand) {
  std::vector<int64_t> strides(letters.size(), 0);
  const std::vector<int64_t> own = row_major_strides(operand.constant.dims);
  for (size_t dim = 0; dim < own.size(); ++dim)
    strides[letters.find(operand.letters[dim])] += own[dim];
  return strides;
}

}  // namespace

Constant summed_constants(Node& node, const Equation& equation,
                          const std::vector<Lettered>& operands, const std::string& result) {
  const std::string letters = all_letters(operands, result);
  const Dims sizes = equation.dims(letters);
  const int64_t count = checked_elements(sizes, node.store().limits);
  const int64_t terms =
      checked_elements(equation.dims(letters.substr(result.size())), node.store().limits);
  node.store().budget.charge(count);  // the time that it takes
  std::vector<std::vector<int64_t>> strides;
  for (const Lettered& operand : operands) strides.push_back(strides_of(letters, operand));
  std::vector<float> values;
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    double product = 1.0;
    for (size_t operand = 0; operand < operands.size(); ++operand) {
      int64_t rest = i, at = 0;
      for (size_t letter = sizes.size(); letter-- > 0; rest /= sizes[letter])
        at += rest % sizes[letter] * strides[operand][letter];
      product *= operands[operand].constant.at(at);
    }
    sum += product;
    if ((i + 1) % terms != 0) continue;
    values.push_back(static_cast<float>(sum));
    sum = 0.0;
  }
  return node.store().floats(equation.dims(result), std::move(values));
}

}  // namespace shingle::onnx
