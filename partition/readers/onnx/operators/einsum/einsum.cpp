// Einsum. Of each operand first the diagonals are taken, then the letters that nobody else needs
// are summed over. Two operands make a matrix product, or a product element by element if they
// share no letter that is summed over; more than two are taken from the left.
#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/einsum/constants.hpp"
#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/product.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/selection/choice.hpp"

namespace shingle::onnx {

namespace {

struct Operand {
  Value value;
  std::string letters;  // of its dims
};

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

// Those letters of `letters` that are in `kept`, each once.
std::string common(const std::string& letters, const std::string& kept) {
  std::string result;
  for (const char letter : letters)
    if (has(kept, letter) && !has(result, letter)) result += letter;
  return result;
}

std::string without(const std::string& letters, const std::string& dropped) {
  std::string result;
  for (const char letter : letters)
    if (!has(dropped, letter)) result += letter;
  return result;
}

// An input without the dims that are 1 where another operand's are larger.
Operand operand_of(Node& node, const Equation& equation, size_t input) {
  Operand operand{.value = node.value(input), .letters = {}};
  Dims dims;
  for (size_t dim = 0; dim < node.dims(input).size(); ++dim) {
    const char letter = equation.operands[input][dim];
    if (node.dims(input)[dim] != equation.size(letter)) continue;
    operand.letters += letter;
    dims.push_back(equation.size(letter));
  }
  operand.value = reshaped_value(node, operand.value, dims);
  return operand;
}

// The operand with its dims in the order of `letters`. REQUIRES: the same letters, each once.
Value ordered(Node& node, const Operand& operand, const std::string& letters) {
  Dims permutation;
  for (const char letter : letters)
    permutation.push_back(static_cast<int64_t>(operand.letters.find(letter)));
  return permuted(node, operand.value, permutation);
}

// Where a letter stands at two dims, only the elements at equal indices are left: every (n+1)th of
// the n*n.
Operand diagonal(Node& node, const Box& box, const std::string& letters, size_t first,
                 size_t second) {
  Dims permutation, dims;
  std::string rest;
  for (size_t dim = 0; dim < letters.size(); ++dim) {
    if (dim == first || dim == second) continue;
    permutation.push_back(static_cast<int64_t>(dim));
    dims.push_back(size_of(box.view, dim));
    rest += letters[dim];
  }
  permutation.push_back(static_cast<int64_t>(first));
  permutation.push_back(static_cast<int64_t>(second));
  const int64_t size = size_of(box.view, first);
  dims.push_back(size * size);
  const Value flat = reshaped_value(node, permuted(node, box, permutation), dims);
  Choice choice(dims.size());
  choice.back() = spaced(node, 0, size + 1, size);
  return {.value = chosen(node, std::get<Box>(flat), choice), .letters = rest + letters[first]};
}

Operand diagonals(Node& node, Operand operand) {
  for (size_t first = 0; first < operand.letters.size();) {
    const size_t second = operand.letters.find(operand.letters[first], first + 1);
    if (second == std::string::npos) {
      ++first;
      continue;
    }
    operand = diagonal(node, std::get<Box>(operand.value), operand.letters, first, second);
    first = 0;
  }
  return operand;
}

// The operand with only the letters that are in `kept`, each once.
Operand reduced_to(Node& node, const Equation& equation, const Operand& operand,
                   const std::string& kept) {
  const std::string left = common(operand.letters, kept);
  if (const Constant* known = std::get_if<Constant>(&operand.value)) {
    if (left == operand.letters)
      return {.value = cast_constant(node, *known, DataType::f32), .letters = left};
    const Constant sums = summed_constants(node, equation, {{*known, operand.letters}}, left);
    return {.value = cast_constant(node, sums, DataType::f32), .letters = left};
  }
  const Operand each = diagonals(node, operand);
  std::vector<bool> marked;
  for (const char letter : each.letters) marked.push_back(!has(kept, letter));
  const Box& box = std::get<Box>(each.value);
  return {.value = onnx::without(reduced(node, Reduction::Kind::sum, box, marked), marked),
          .letters = common(each.letters, kept)};
}

// Both operands with the dims [shared][own of the first][own of the second]: nothing is summed.
Operand spread_product(Node& node, const Equation& equation, const Operand& a, const Operand& b) {
  const std::string shared = common(a.letters, b.letters);
  const std::string left = without(a.letters, shared), right = without(b.letters, shared);
  Dims first = equation.dims(shared + left), second = equation.dims(shared);
  first.insert(first.end(), right.size(), 1);
  second.insert(second.end(), left.size(), 1);
  for (const int64_t size : equation.dims(right)) second.push_back(size);
  return {.value = combine(node, Binary::Kind::mul,
                           reshaped_value(node, ordered(node, a, shared + left), first),
                           reshaped_value(node, ordered(node, b, shared + right), second)),
          .letters = shared + left + right};
}

// [stack][own of the first][summed] times [stack][summed][own of the second].
Operand multiplied(Node& node, const Equation& equation, const Operand& a, const Operand& b,
                   const std::string& kept) {
  const std::string shared = common(a.letters, b.letters);
  const std::string stack = common(shared, kept), summed = without(shared, kept);
  if (summed.empty()) return spread_product(node, equation, a, b);
  const std::string left = without(a.letters, shared), right = without(b.letters, shared);
  const int64_t depth = product_of(equation.dims(summed));
  Dims first = equation.dims(stack), second = first;
  first.insert(first.end(), {product_of(equation.dims(left)), depth});
  second.insert(second.end(), {depth, product_of(equation.dims(right))});
  const Box result =
      matrix_product(node, reshaped_value(node, ordered(node, a, stack + left + summed), first),
                     reshaped_value(node, ordered(node, b, stack + summed + right), second));
  return {.value = reshaped_value(node, result, equation.dims(stack + left + right)),
          .letters = stack + left + right};
}

bool is_constant(const Operand& operand) { return std::holds_alternative<Constant>(operand.value); }

Operand pair_product(Node& node, const Equation& equation, const Operand& a, const Operand& b,
                     const std::string& kept) {
  const Operand first = reduced_to(node, equation, a, b.letters + kept);
  const Operand second = reduced_to(node, equation, b, a.letters + kept);
  if (!is_constant(first) || !is_constant(second))
    return multiplied(node, equation, first, second, kept);
  const std::string letters = common(first.letters + second.letters, kept);
  return {.value = summed_constants(node, equation,
                                    {{std::get<Constant>(first.value), first.letters},
                                     {std::get<Constant>(second.value), second.letters}},
                                    letters),
          .letters = letters};
}

Value of_constants(Node& node, const Equation& equation, const std::vector<Operand>& operands) {
  std::vector<Lettered> constants;
  for (const Operand& operand : operands)
    constants.push_back({std::get<Constant>(operand.value), operand.letters});
  return summed_constants(node, equation, constants, equation.result);
}

}  // namespace

void einsum(Node& node) {
  const Equation equation = equation_of(node);
  std::vector<Operand> operands;
  for (size_t input = 0; input < node.inputs(); ++input)
    operands.push_back(operand_of(node, equation, input));
  if (node.all_constant()) return node.set(of_constants(node, equation, operands));
  Operand result = operands[0];
  for (size_t next = 1; next < operands.size(); ++next) {
    std::string kept = equation.result;
    for (size_t later = next + 1; later < operands.size(); ++later) kept += operands[later].letters;
    result = pair_product(node, equation, result, operands[next], kept);
  }
  result = reduced_to(node, equation, result, equation.result);
  node.set(ordered(node, result, equation.result));
}

}  // namespace shingle::onnx
