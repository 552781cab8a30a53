// Einsum on constants: the sum over all values of all letters, written out.
#include <algorithm>

#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t most_operands = 8, most_letters = 16;

struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "ij,jk->ik"; without an arrow the result has the letters that stand once, in the alphabet's
// order.
Equation equation_of(const Node& node) {
  Equation equation;
  std::string* term = &equation.operands.emplace_back();
  bool arrow = false;
  const std::string_view text = node.text("equation", "");
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && !arrow) {
      arrow = true;
      term = &equation.result;
      ++i;
    } else if (c == ',' && !arrow && equation.operands.size() < most_operands) {
      term = &equation.operands.emplace_back();
    } else if (is_letter(c) && term->size() < most_letters) {
      *term += c;
    } else {
      node.refuse("its equation is not one of letters, as ij,jk->ik");
    }
  }
  for (char c = 'A'; !arrow && c <= 'z'; ++c) {
    int64_t times = 0;
    for (const std::string& operand : equation.operands) {
      times += std::count(operand.begin(), operand.end(), c);
    }
    if (times == 1) equation.result += c;
  }
  return equation;
}

// The letters of the result, then those that are summed over, with their sizes.
struct Letters {
  std::string names;
  Dims sizes;

  size_t at(char c) const { return names.find(c); }
};

void add_letters(const Node& node, const std::string& term, const Dims& dims, Letters& letters) {
  if (term.size() != dims.size()) {
    node.refuse("its equation names " + std::to_string(term.size()) + " dimensions of " +
                text_of(dims));
  }
  for (size_t dim = 0; dim < term.size(); ++dim) {
    size_t at = letters.at(term[dim]);
    if (at == std::string::npos) {
      at = letters.names.size();
      letters.names += term[dim];
      letters.sizes.push_back(0);
    }
    int64_t& size = letters.sizes[at];
    if (size != 0 && size != dims[dim]) {
      node.refuse("its index " + std::string(1, term[dim]) + " has two sizes, " +
                  std::to_string(size) + " and " + std::to_string(dims[dim]));
    }
    size = dims[dim];
  }
}

Letters letters_of(Node& node, const Equation& equation) {
  Letters letters{.names = equation.result, .sizes = Dims(equation.result.size(), 0)};
  for (size_t i = 0; i < equation.result.size(); ++i) {
    if (equation.result.find(equation.result[i]) != i)
      node.refuse("its result names an index twice");
  }
  for (size_t input = 0; input < equation.operands.size(); ++input) {
    add_letters(node, equation.operands[input], node.dims(input), letters);
  }
  for (const int64_t size : letters.sizes) {
    if (size < 1) node.refuse("its result has an index that no operand has");
  }
  return letters;
}

// By letter: how far one step of it moves in the operand.
std::vector<int64_t> strides_of(const Letters& letters, const std::string& term, const Dims& dims) {
  std::vector<int64_t> strides(letters.names.size(), 0);
  const std::vector<int64_t> own = row_major_strides(dims);
  for (size_t dim = 0; dim < term.size(); ++dim) strides[letters.at(term[dim])] += own[dim];
  return strides;
}

}  // namespace

void einsum(Node& node) {
  if (!node.all_constant()) {
    node.refuse("shingle computes it on constants only, and this one depends on the model's input");
  }
  const Equation equation = equation_of(node);
  if (equation.operands.size() != node.inputs()) node.refuse("its equation has other operands");
  const Letters letters = letters_of(node, equation);
  const auto kept = static_cast<ptrdiff_t>(equation.result.size());
  const Dims dims(letters.sizes.begin(), letters.sizes.begin() + kept);
  const Dims summed(letters.sizes.begin() + kept, letters.sizes.end());
  const int64_t count = checked_elements(letters.sizes, node.store().limits);
  const int64_t terms = checked_elements(summed, node.store().limits);
  node.store().budget.charge(count);  // the time that it takes
  std::vector<std::vector<int64_t>> strides;
  std::vector<const Constant*> operands;
  for (size_t input = 0; input < node.inputs(); ++input) {
    strides.push_back(strides_of(letters, equation.operands[input], node.dims(input)));
    operands.push_back(&node.constant(input));
  }
  std::vector<float> values;
  double sum = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    double product = 1.0;
    for (size_t input = 0; input < node.inputs(); ++input) {
      int64_t rest = i, at = 0;
      for (size_t letter = letters.sizes.size(); letter-- > 0; rest /= letters.sizes[letter]) {
        at += rest % letters.sizes[letter] * strides[input][letter];
      }
      product *= operands[input]->at(at);
    }
    sum += product;
    if ((i + 1) % terms != 0) continue;
    values.push_back(static_cast<float>(sum));
    sum = 0.0;
  }
  const Constant result = node.store().floats(dims, std::move(values));
  const bool whole = node.constant(0).integer;
  node.set(whole ? cast_constant(node, result, DataType::i64) : result);
}

}  // namespace shingle::onnx
