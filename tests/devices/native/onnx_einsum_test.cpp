// Einsum of values, held against the sum over all letters.
#include <doctest/doctest.h>

#include <map>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

enum class Known { none, first, second };  // which operand is a constant

struct Sum {
  std::vector<std::string> operands;  // letters
  std::string result;
};

Dims dims_of(const std::map<char, int64_t>& sizes, const std::string& letters) {
  Dims dims;
  for (const char letter : letters) dims.push_back(sizes.at(letter));
  return dims;
}

// The definition: the products at all indices of all letters, summed into the result.
Array defined(const Sum& sum, const std::map<char, int64_t>& sizes,
              const std::vector<Array>& operands) {
  std::string letters;
  Dims all;
  for (const auto& [letter, size] : sizes) {
    letters += letter;
    all.push_back(size);
  }
  const auto part = [&](const Dims& at, const std::string& of) {
    Dims index;
    for (const char letter : of) index.push_back(at[letters.find(letter)]);
    return index;
  };
  std::map<Dims, double> sums;
  for_each_index(all, [&](const Dims& at) {
    double product = 1.0;
    for (size_t i = 0; i < operands.size(); ++i)
      product *= operands[i].at(part(at, sum.operands[i]));
    sums[part(at, sum.result)] += product;
  });
  Array array{dims_of(sizes, sum.result), {}};
  for (const auto& [index, value] : sums) array.values.push_back(static_cast<float>(value));
  return array;
}

constexpr int64_t sizes_of_letters[] = {3, 4, 5, 2, 6};  // a, b, c, ...

std::map<char, int64_t> sizes_of(const Sum& sum) {
  std::map<char, int64_t> sizes;
  for (const std::string& operand : sum.operands) {
    for (const char letter : operand) sizes[letter] = sizes_of_letters[letter - 'a'];
  }
  return sizes;
}

// The operands lie one behind the other in the input; `equation` as the file writes it.
void check(const std::string& equation, const Sum& sum, Known known = Known::none) {
  CAPTURE(equation);
  const std::map<char, int64_t> sizes = sizes_of(sum);
  OnnxGraph graph;
  Array input;
  std::vector<Array> operands;
  std::vector<std::string> names;
  for (size_t i = 0; i < sum.operands.size(); ++i) {
    operands.push_back(random_array(dims_of(sizes, sum.operands[i]), i + 1));
    const Array& operand = operands.back();
    if ((known == Known::first && i == 0) || (known == Known::second && i == 1)) {
      names.push_back(graph.floats(operand.dims, operand.values));
      continue;
    }
    names.push_back(part_of_input(graph, operand.dims, static_cast<int64_t>(input.values.size())));
    input.values.insert(input.values.end(), operand.values.begin(), operand.values.end());
  }
  input.dims = {static_cast<int64_t>(input.values.size())};
  const Array computed =
      run_onnx(graph, graph.node("Einsum", names, {{"equation", equation}}), input, 18);
  const Array exact = defined(sum, sizes, operands);
  check_everywhere(computed, exact.dims, [&](const Dims& at) { return exact.at(at); });
}

void check_all(const std::string& equation, const Sum& sum) {
  for (const Known known : {Known::none, Known::first, Known::second}) check(equation, sum, known);
}

}  // namespace

TEST_CASE("Einsum of one value transposes, sums, and takes diagonals") {
  check("abc->cab", {{"abc"}, "cab"});
  check("abc->a", {{"abc"}, "a"});
  check("abcd -> db", {{"abcd"}, "db"});
  check("cab", {{"cab"}, "abc"});
  check("abc->", {{"abc"}, ""});
  check("aab->ba", {{"aab"}, "ba"});
  check("bcabcb->bca", {{"bcabcb"}, "bca"});
  check("abb->a", {{"abb"}, "a"});
  check("aa", {{"aa"}, ""});
  check("...aa->...a", {{"bcaa"}, "bca"});
}

TEST_CASE("Einsum of two values is a product, for each index that both have and the result keeps") {
  check_all("ab,bc->ac", {{"ab", "bc"}, "ac"});
  check_all("bc,ab", {{"bc", "ab"}, "ac"});
  check_all("abc,dcb->ad", {{"abc", "dcb"}, "ad"});
  check_all("abcd,aced->abce", {{"abcd", "aced"}, "abce"});
  check_all("bacd,daeb->ecb", {{"bacd", "daeb"}, "ecb"});
  check_all("abc,abd->dc", {{"abc", "abd"}, "dc"});
  check_all("a,a->", {{"a", "a"}, ""});
  check_all("aab,bca->ac", {{"aab", "bca"}, "ac"});
}

TEST_CASE("Einsum sums over what one operand alone has before the product") {
  check_all("abe,bcd->ac", {{"abe", "bcd"}, "ac"});
  check_all("ab,cd->ac", {{"ab", "cd"}, "ac"});
}

TEST_CASE("Einsum without a sum multiplies element by element") {
  check_all("a,b->ba", {{"a", "b"}, "ba"});
  check_all("abc,abc->abc", {{"abc", "abc"}, "abc"});
  check_all("abc,cb->cba", {{"abc", "cb"}, "cba"});
  check_all("abc,b->ac", {{"abc", "b"}, "ac"});
}

TEST_CASE("Einsum of three operands takes them from the left") {
  check_all("ab,bc,cd->ad", {{"ab", "bc", "cd"}, "ad"});
  check_all("ab,ac,ad->dcb", {{"ab", "ac", "ad"}, "dcb"});
}

TEST_CASE("Three dots stand for leading dims, and one of size 1 is stretched") {
  check("...ab,...bc->...ac", {{"dab", "dbc"}, "dac"});
  check("...ab,bc->...ac", {{"edab", "bc"}, "edac"});
  check("...ab,...bc", {{"edab", "dbc"}, "edac"});
  const Array a = random_array({2, 3, 4}, 1), b = random_array({1, 4, 5}, 2);
  OnnxGraph graph;
  const std::string known = graph.floats(b.dims, b.values);
  const Array computed = run_onnx(
      graph, {.op = "Einsum", .attributes = {{"equation", std::string("...ab,...bc->a...c")}}}, a,
      {known});
  check_everywhere(computed, {3, 2, 5}, [&](const Dims& at) {
    double sum = 0.0;
    for (int64_t i = 0; i < 4; ++i) sum += a.at({at[1], at[0], i}) * b.at({0, i, at[2]});
    return sum;
  });
}

}  // namespace shingle::tests
