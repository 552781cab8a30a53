#include "partition/readers/onnx/operators/einsum/constants.hpp"

#include <algorithm>
#include <utility>

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

// Calls term(places) for each term and then, after the last one of an element, end(). `places`: by
// operand, the element that is a factor.
template <class Term, class End>
void each_term(const Dims& sizes, const std::vector<std::vector<int64_t>>& strides, int64_t count,
               int64_t terms, Term term, End end) {
  std::vector<int64_t> places(strides.size());
  for (int64_t i = 0; i < count; ++i) {
    for (size_t operand = 0; operand < strides.size(); ++operand) {
      int64_t rest = i;
      places[operand] = 0;
      for (size_t letter = sizes.size(); letter-- > 0; rest /= sizes[letter])
        places[operand] += rest % sizes[letter] * strides[operand][letter];
    }
    term(places);
    if ((i + 1) % terms == 0) end();
  }
}

// Sums of products in a type `Sum`. factor(constant, place): an element in this type.
template <class Value, class Sum, class Each, class Factor>
std::vector<Value> sums(const std::vector<Lettered>& operands, Each each, Factor factor) {
  std::vector<Value> values;
  Sum sum{};
  each(
      [&](const std::vector<int64_t>& places) {
        Sum product = 1;
        for (size_t i = 0; i < places.size(); ++i)
          product *= factor(operands[i].constant, places[i]);
        sum += product;
      },
      [&] { values.push_back(static_cast<Value>(std::exchange(sum, Sum{}))); });
  return values;
}

// Integers wrap round.
template <class Each>
std::vector<int64_t> whole_sums(const std::vector<Lettered>& operands, Each each) {
  return sums<int64_t, uint64_t>(operands, each, [](const Constant& constant, int64_t place) {
    return static_cast<uint64_t>(constant.integers[static_cast<size_t>(place)]);
  });
}

template <class Each>
std::vector<float> real_sums(const std::vector<Lettered>& operands, Each each) {
  return sums<float, double>(
      operands, each, [](const Constant& constant, int64_t place) { return constant.at(place); });
}

}  // namespace

Constant summed_constants(Node& node, const Equation& equation,
                          const std::vector<Lettered>& operands, const std::string& result) {
  const std::string letters = all_letters(operands, result);
  const Dims sizes = equation.dims(letters), dims = equation.dims(result);
  const int64_t count = checked_elements(sizes, node.store().limits);
  const int64_t terms =
      checked_elements(equation.dims(letters.substr(result.size())), node.store().limits);
  node.store().budget.charge(count);  // the time that it takes
  node.store().budget.charge(count / std::max<int64_t>(terms, 1), 8);
  std::vector<std::vector<int64_t>> strides;
  bool whole = true;
  for (const Lettered& operand : operands) {
    strides.push_back(strides_of(letters, operand));
    whole = whole && operand.constant.integer;
  }
  const auto each = [&](auto term, auto end) {
    each_term(sizes, strides, count, terms, term, end);
  };
  if (whole) return node.store().integers(dims, whole_sums(operands, each));
  return node.store().floats(dims, real_sums(operands, each));
}

}  // namespace shingle::onnx
