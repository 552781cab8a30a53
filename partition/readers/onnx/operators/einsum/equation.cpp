#include "partition/readers/onnx/operators/einsum/equation.hpp"

#include <algorithm>

namespace shingle::onnx {

namespace {

constexpr size_t most_operands = 8, most_letters = 16;
constexpr char ellipsis = '.';  // stands for "..." until the operands' dims are looked at
constexpr size_t most_numbered = 10;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_numbered(char c) { return c >= '0' && c <= '9'; }

// True if the text has this token at `at`.
bool follows(std::string_view text, size_t at, std::string_view token) {
  return text.substr(at, token.size()) == token;
}

struct Terms {
  Equation equation;
  bool arrow = false;
};

Terms terms_of(const Node& node) {
  Terms terms;
  Equation& equation = terms.equation;
  std::string* term = &equation.operands.emplace_back();
  const std::string_view text = node.text("equation", "");
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (follows(text, i, "->") && !terms.arrow) {
      terms.arrow = true;
      term = &equation.result;
      ++i;
    } else if (follows(text, i, "...") && term->find(ellipsis) == std::string::npos) {
      *term += ellipsis;
      i += 2;
    } else if (text[i] == ',' && !terms.arrow && equation.operands.size() < most_operands) {
      term = &equation.operands.emplace_back();
    } else if (is_letter(text[i]) && term->size() < most_letters) {
      *term += text[i];
    } else {
      node.refuse("its equation is not one of letters, as ij,jk->ik");
    }
  }
  return terms;
}

// Without an arrow the result has the dims of "...", then the letters that stand once, in the
// alphabet's order.
std::string usual_result(const Equation& equation) {
  std::string result(1, ellipsis);
  for (char c = 'A'; c <= 'z'; ++c) {
    int64_t times = 0;
    for (const std::string& operand : equation.operands)
      times += std::count(operand.begin(), operand.end(), c);
    if (times == 1) result += c;
  }
  return result;
}

void put_numbers(std::string& term, size_t count, size_t most) {
  const size_t place = term.find(ellipsis);
  if (place == std::string::npos) return;
  std::string digits;
  for (size_t i = most - count; i < most; ++i) digits += static_cast<char>('0' + i);
  term.replace(place, 1, digits);
}

// The dims that "..." stands for are aligned at their last one.
void expand(Node& node, Equation& equation) {
  std::vector<size_t> counts;
  size_t most = 0;
  for (size_t input = 0; input < equation.operands.size(); ++input) {
    const std::string& term = equation.operands[input];
    const bool open = term.find(ellipsis) != std::string::npos;
    const size_t named = term.size() - (open ? 1 : 0), rank = node.dims(input).size();
    if (open ? named > rank : named != rank) {
      node.refuse("its equation names " + std::to_string(named) + " dimensions of " +
                  text_of(node.dims(input)));
    }
    counts.push_back(rank - named);
    most = std::max(most, counts.back());
  }
  if (most > most_numbered) {
    node.refuse("... stands for more than " + std::to_string(most_numbered) +
                " dimensions in its equation");
  }
  for (size_t input = 0; input < counts.size(); ++input)
    put_numbers(equation.operands[input], counts[input], most);
  put_numbers(equation.result, most, most);
}

void measure(Node& node, Equation& equation, size_t input) {
  const Dims dims = node.dims(input);
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const char letter = equation.operands[input][dim];
    int64_t& size = equation.sizes[static_cast<size_t>(letter)];
    if (dims[dim] < 1) node.refuse("its operand " + text_of(dims) + " has no elements");
    const bool stretches = is_numbered(letter) && (size == 1 || dims[dim] == 1);
    if (size != 0 && size != dims[dim] && !stretches) {
      node.refuse("its index " + std::string(1, letter) + " has two sizes, " +
                  std::to_string(size) + " and " + std::to_string(dims[dim]));
    }
    size = std::max(size, dims[dim]);
  }
}

}  // namespace

Dims Equation::dims(const std::string& letters) const {
  Dims list;
  for (const char letter : letters) list.push_back(size(letter));
  return list;
}

Equation equation_of(Node& node) {
  Terms terms = terms_of(node);
  Equation& equation = terms.equation;
  if (equation.operands.size() != node.inputs()) {
    node.refuse("the number of operands in its equation is " +
                std::to_string(equation.operands.size()) + ", and that of its inputs is " +
                std::to_string(node.inputs()));
  }
  if (!terms.arrow) equation.result = usual_result(equation);
  expand(node, equation);
  for (size_t input = 0; input < node.inputs(); ++input) measure(node, equation, input);
  for (size_t i = 0; i < equation.result.size(); ++i) {
    const char letter = equation.result[i];
    const std::string index = "its result has the index " + std::string(1, letter);
    if (equation.result.find(letter) != i) node.refuse(index + " twice");
    if (equation.size(letter) == 0) node.refuse(index + ", which no operand has");
  }
  return terms.equation;
}

}  // namespace shingle::onnx
