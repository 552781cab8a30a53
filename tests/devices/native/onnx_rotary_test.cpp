// RotaryEmbedding, held against its definition.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxAttributes;
using networks::OnnxGraph;

constexpr int64_t batch = 2, heads = 3, places = 5, size = 8, rows = 9;

struct Rotary {
  bool flat = false, interleaved = false, positions = false;
  int64_t turned = size;  // features of a head
};

// The position of a place, if the node has positions.
int64_t position(int64_t frame, int64_t place) { return (frame * 4 + place * 7) % rows; }

std::string positions(OnnxGraph& graph) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < batch * places; ++i) values.push_back(position(i / places, i % places));
  const std::string list = graph.integers(values);
  return graph.node("Reshape", {list, graph.integers({batch, places})});
}

void check(const Rotary& what) {
  const int64_t pairs = what.turned / 2;
  const Dims dims =
      what.flat ? Dims{batch, places, heads * size} : Dims{batch, heads, places, size};
  const Dims cache = what.positions ? Dims{rows, pairs} : Dims{batch, places, pairs};
  const Array input = random_array(dims, 1), cosines = random_array(cache, 2),
              sines = random_array(cache, 3);
  OnnxGraph graph;
  OnnxAttributes attributes{{"interleaved", int64_t{what.interleaved ? 1 : 0}}};
  if (what.turned != size) attributes.emplace_back("rotary_embedding_dim", what.turned);
  if (what.flat) attributes.emplace_back("num_heads", heads);
  std::vector<std::string> operands{graph.floats(cache, cosines.values),
                                    graph.floats(cache, sines.values)};
  if (what.positions) operands.push_back(positions(graph));
  const Array computed = run_onnx(
      graph, {.op = "RotaryEmbedding", .attributes = attributes, .opset = 23}, input, operands);
  check_everywhere(computed, dims, [&](const Dims& at) {
    const int64_t place = what.flat ? at[1] : at[2], feature = at.back() % size;
    if (feature >= what.turned) return input.at(at);
    const bool first = what.interleaved ? feature % 2 == 0 : feature < pairs;
    const int64_t apart = what.interleaved ? 1 : pairs;
    Dims other = at;
    other.back() += first ? apart : -apart;
    const int64_t pair = what.interleaved ? feature / 2 : feature % pairs;
    const Dims angle =
        what.positions ? Dims{position(at[0], place), pair} : Dims{at[0], place, pair};
    const double sine = (first ? -1.0 : 1.0) * sines.at(angle);
    return input.at(at) * cosines.at(angle) + input.at(other) * sine;
  });
}

}  // namespace

TEST_CASE("A rotary embedding turns pairs of features of each head") {
  for (const bool flat : {false, true}) {
    for (const bool interleaved : {false, true}) {
      for (const bool by_position : {false, true}) {
        CAPTURE(flat);
        CAPTURE(interleaved);
        check({.flat = flat, .interleaved = interleaved, .positions = by_position});
      }
    }
  }
}

TEST_CASE("A rotary embedding leaves alone what it is not to turn") {
  for (const bool flat : {false, true}) {
    for (const bool interleaved : {false, true}) {
      check({.flat = flat, .interleaved = interleaved, .turned = 4});
      check({.flat = flat, .interleaved = interleaved, .positions = true, .turned = 6});
    }
  }
}

}  // namespace shingle::tests
