// Attention, held against its definition, element by element.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxAttributes;
using networks::OnnxGraph;

constexpr double hidden = -std::numeric_limits<double>::infinity();
constexpr int64_t bool_type = 9;

int64_t count_of(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return count;
}

// Operands of an attention; all of them lie one behind the other in the graph's input "in".
struct Operands {
  int64_t batch = 1, heads = 2, key_heads = 2, queries = 6, keys = 5, size = 4, width = 3;
  bool flat = false;  // the features of all heads in one dim

  Dims dims(int64_t head_count, int64_t places, int64_t features) const {
    if (flat) return {batch, places, head_count * features};
    return {batch, head_count, places, features};
  }
  Dims q() const { return dims(heads, queries, size); }
  Dims k() const { return dims(key_heads, keys, size); }
  Dims v() const { return dims(key_heads, keys, width); }
  Dims y() const { return dims(heads, queries, width); }
};

struct Attention {
  Operands operands;
  float scale = 0.5F, softcap = 0.0F;
  bool causal = false;
  Dims mask{};          // none if empty
  bool truths = false;  // the mask says who is seen
  bool known = false;   // the mask is a constant
  int64_t opset = 23;
};

// One of the operands.
struct Part {
  Array array;
  int64_t heads;
  bool flat;
  double at(int64_t batch, int64_t head, int64_t place, int64_t feature) const {
    if (!flat) return array.at({batch, head, place, feature});
    return array.at({batch, place, head * (array.dims[2] / heads) + feature});
  }
};

Array part_of(const Array& input, const Dims& dims, int64_t begin) {
  const auto first = input.values.begin() + begin;
  return {dims, {first, first + count_of(dims)}};
}

// What the mask adds to a score.
double mask_at(const Array& mask, bool truths, const Dims& score) {
  Dims at(mask.dims.size());
  for (size_t back = 1; back <= at.size(); ++back) {
    const size_t dim = at.size() - back;
    at[dim] = mask.dims[dim] == 1 ? 0 : score[score.size() - back];
    if (back == 1 && score.back() >= mask.dims[dim]) return hidden;  // the mask is shorter
  }
  if (!truths) return mask.at(at);
  return mask.at(at) > 0.0 ? 0.0 : hidden;
}

struct Oracle {
  const Attention& what;
  Part q, k, v;
  std::optional<Array> mask;

  double score(const Dims& at, int64_t key) const {
    const int64_t key_head = at[1] * k.heads / q.heads;
    double sum = 0.0;
    for (int64_t i = 0; i < what.operands.size; ++i)
      sum += q.at(at[0], at[1], at[2], i) * k.at(at[0], key_head, key, i);
    sum *= static_cast<double>(what.scale);
    const auto cap = static_cast<double>(what.softcap);
    if (cap != 0.0) sum = cap * std::tanh(sum / cap);
    if (what.causal && key > at[2]) return hidden;
    return mask ? sum + mask_at(*mask, what.truths, {at[0], at[1], at[2], key}) : sum;
  }

  double operator()(const Dims& index) const {
    Dims at = index;  // batch, head, query, feature
    if (what.operands.flat) {
      const int64_t width = what.operands.width;
      at = {index[0], index[2] / width, index[1], index[2] % width};
    }
    double total = 0.0, sum = 0.0;
    for (int64_t key = 0; key < what.operands.keys; ++key) {
      const double weight = std::exp(score(at, key));
      total += weight;
      sum += weight * v.at(at[0], at[1] * v.heads / q.heads, key, at[3]);
    }
    return sum / total;
  }
};

std::string mask_of(OnnxGraph& graph, const Attention& what, const Array& mask, int64_t begin) {
  if (!what.known) {
    const std::string value = part_of_input(graph, mask.dims, begin);
    if (!what.truths) return value;
    return graph.node("Greater", {value, graph.scalar(0.0F)});
  }
  if (!what.truths) return graph.floats(mask.dims, mask.values);
  std::string bytes;
  for (const float value : mask.values) bytes += static_cast<char>(value > 0.0F ? 1 : 0);
  return graph.tensor(mask.dims, bool_type, bytes);
}

OnnxAttributes attributes_of(const Attention& what) {
  OnnxAttributes attributes{{"scale", what.scale}, {"is_causal", int64_t{what.causal ? 1 : 0}}};
  if (what.operands.flat) attributes.emplace_back("q_num_heads", what.operands.heads);
  if (what.operands.flat) attributes.emplace_back("kv_num_heads", what.operands.key_heads);
  if (what.softcap != 0.0F) attributes.emplace_back("softcap", what.softcap);
  return attributes;
}

// Reads and runs the attention, and holds it against its definition.
void check(const Attention& what) {
  const Operands& of = what.operands;
  const int64_t k = count_of(of.q()), v = k + count_of(of.k()), m = v + count_of(of.v());
  const int64_t end = m + (what.mask.empty() ? 0 : count_of(what.mask));
  const Array input = random_array({end}, 1);
  OnnxGraph graph;
  std::vector<std::string> operands{part_of_input(graph, of.q(), 0),
                                    part_of_input(graph, of.k(), k),
                                    part_of_input(graph, of.v(), v)};
  std::optional<Array> mask;
  if (!what.mask.empty()) {
    mask = part_of(input, what.mask, m);
    operands.push_back(mask_of(graph, what, *mask, m));
  }
  const Array computed =
      run_onnx(graph, graph.node("Attention", operands, attributes_of(what)), input, what.opset);
  const Oracle oracle{what,
                      {part_of(input, of.q(), 0), of.heads, of.flat},
                      {part_of(input, of.k(), k), of.key_heads, of.flat},
                      {part_of(input, of.v(), v), of.key_heads, of.flat},
                      mask};
  check_everywhere(computed, of.y(), oracle);
}

}  // namespace

TEST_CASE("Attention weighs values by the softmax of its scores, head by head") {
  check({.operands = {}});
  check({.operands = {.flat = true}});
  check({.operands = {.batch = 2, .heads = 3, .key_heads = 3, .flat = true}});
  check({.operands = {.batch = 2, .queries = 1, .keys = 1}});
}

TEST_CASE("Attention scales by the root of the size of a head if the file does not say otherwise") {
  Attention what{.operands = {}, .scale = 0.5F};  // of 4 features
  const int64_t count = count_of(what.operands.q());
  const Array input = random_array({count}, 2);
  OnnxGraph graph;
  const std::string q = part_of_input(graph, what.operands.q(), 0);
  const Array computed = run_onnx(graph, graph.node("Attention", {q, q, q}), input, 23);
  what.operands.keys = what.operands.queries;
  const Part part{part_of(input, what.operands.q(), 0), 2, false};
  check_everywhere(computed, what.operands.q(), Oracle{what, part, part, part, std::nullopt});
}

TEST_CASE("Heads of queries share a head of keys and values with their neighbours") {
  for (const bool flat : {false, true}) {
    check({.operands = {.heads = 6, .key_heads = 2, .flat = flat}});
    check({.operands = {.heads = 3, .key_heads = 1, .flat = flat}, .causal = true});
    check({.operands = {.heads = 4, .key_heads = 2, .flat = flat}, .mask = {4, 6, 5}});
  }
}

TEST_CASE("A query of a causal attention sees no key behind it") {
  check({.operands = {}, .causal = true});
  check({.operands = {.queries = 3, .keys = 7, .flat = true}, .causal = true});
  check({.operands = {}, .causal = true, .mask = {6, 5}});
  check({.operands = {}, .causal = true, .mask = {6, 5}, .known = true});
}

TEST_CASE("A mask is added to the scores, or says who is seen") {
  for (const bool known : {false, true}) {
    for (const Dims& mask : {Dims{6, 5}, Dims{1, 5}, Dims{2, 1, 5}, Dims{2, 2, 6, 5}}) {
      const Operands operands{.batch = mask.size() == 4 ? 2 : 1};
      check({.operands = operands, .mask = mask, .known = known});
    }
    // Twelve keys, so that each query sees some.
    check({.operands = {.keys = 12}, .mask = {6, 12}, .truths = true, .known = known});
    check({.operands = {.keys = 12}, .mask = {1, 1, 12}, .truths = true, .known = known});
  }
}

TEST_CASE("From opset 24 on a shorter mask hides the keys that it does not know") {
  for (const bool known : {false, true}) {
    check({.operands = {}, .mask = {6, 3}, .known = known, .opset = 24});
    check({.operands = {.heads = 4}, .mask = {1, 4, 6, 4}, .known = known, .opset = 24});
    check({.operands = {.keys = 12}, .mask = {6, 11}, .truths = true, .known = known, .opset = 24});
  }
}

TEST_CASE("A cap bounds the scores before the mask hides some") {
  check({.operands = {}, .scale = 4.0F, .softcap = 0.75F});
  check({.operands = {}, .scale = 4.0F, .softcap = 0.75F, .causal = true, .mask = {6, 5}});
}

TEST_CASE("Attention with constant keys and values, or with constant queries") {
  const Operands of{};
  const Array input = random_array(of.q(), 3);
  const Array keys = random_array(of.k(), 4), values = random_array(of.v(), 5);
  const Attention what{.operands = of, .scale = 0.5F};
  OnnxGraph graph;
  const std::string k = graph.floats(of.k(), keys.values), v = graph.floats(of.v(), values.values);
  const Array computed = run_onnx(graph, {.op = "Attention", .opset = 23}, input, {k, v});
  check_everywhere(computed, of.y(),
                   Oracle{what, {input, 2, false}, {keys, 2, false}, {values, 2, false}, {}});

  const Array given = random_array(of.k(), 6), asked = random_array(of.q(), 7);
  OnnxGraph other;
  const std::string q = other.floats(of.q(), asked.values);
  const Array weighed = run_onnx(other, other.node("Attention", {q, "in", "in"}), given, 23);
  check_everywhere(weighed, of.q(),
                   Oracle{what, {asked, 2, false}, {given, 2, false}, {given, 2, false}, {}});
}

TEST_CASE("Attention gives its keys, its scores and its weights to who asks for them") {
  const Dims dims{1, 2, 5, 4};
  const Array input = random_array(dims, 8);
  for (const int64_t mode : {0, 3}) {
    OnnxGraph graph;
    graph.node_with_outputs("Attention", {"in", "in", "in"}, {{"qk_matmul_output_mode", mode}},
                            {"y", "keys", "values", "scores"});
    const std::string none = graph.node("Mul", {"y", graph.scalar(0.0F)});
    const std::string keys = graph.node("Add", {none, "keys"});
    const std::string product = graph.node("MatMul", {"scores", keys});
    const auto score = [&](const Dims& at, int64_t key) {
      double sum = 0.0;
      for (int64_t i = 0; i < 4; ++i)
        sum += input.at({0, at[1], at[2], i}) * input.at({0, at[1], key, i});
      return sum / 2.0;
    };
    check_everywhere(run_onnx(graph, product, input, 23), dims, [&](const Dims& at) {
      double total = 0.0, sum = 0.0;
      for (int64_t key = 0; key < 5; ++key) {
        const double weight = mode == 0 ? score(at, key) : std::exp(score(at, key));
        total += weight;
        sum += weight * input.at({0, at[1], key, at[3]});
      }
      return mode == 0 ? sum : sum / total;
    });
  }
}

}  // namespace shingle::tests
