// Uses of TopK, of indices and of updates that cannot be: each is refused by one sentence.
#include <doctest/doctest.h>

#include "tests/partition/readers/one_node_file.hpp"

using namespace shingle;
using networks::OnnxAttributes;
using tests::holds;
using tests::OneNodeFile;
using Dims = std::vector<int64_t>;

namespace {

constexpr int64_t least = INT64_MIN, most = INT64_MAX;

std::string top_k(const Dims& dims, int64_t count, int64_t axis = -1, int64_t opset = 24) {
  OneNodeFile file(dims, opset);
  if (opset < 10) return file.answer("TopK", {"in"}, {{"k", count}, {"axis", axis}});
  return file.answer("TopK", {"in", file.graph.integers({count})}, {{"axis", axis}});
}

// The input is the indices of a constant map, or a map with constant indices.
std::string gather(std::string_view op, const Dims& map, const Dims& indices,
                   const OnnxAttributes& attributes = {}) {
  OneNodeFile file(indices);
  return file.answer(op, {file.zeros(map), "in"}, attributes);
}

std::string gather_at(std::string_view op, const Dims& map, const Dims& dims, const Dims& indices,
                      const OnnxAttributes& attributes = {}) {
  OneNodeFile file(map);
  return file.answer(op, {"in", file.integers(dims, indices)}, attributes);
}

struct Scattered {
  Dims map, indices, updates;
};
std::string scatter(std::string_view op, const Scattered& dims,
                    const OnnxAttributes& attributes = {}) {
  OneNodeFile file(dims.indices);
  return file.answer(op, {file.zeros(dims.map), "in", file.zeros(dims.updates)}, attributes);
}

}  // namespace

TEST_CASE("More elements than there are, or none, cannot be the first") {
  CHECK(top_k({1, 100}, 100) == "it was read");
  CHECK(holds(top_k({1, 100}, 300), "(TopK): it takes the first 300 of 100 elements"));
  CHECK(holds(top_k({1, 100}, 0), "it takes the first 0 of 100"));
  CHECK(holds(top_k({1, 100}, -1), "the first -1 of 100"));
  CHECK(holds(top_k({1, 100}, most), "(TopK): "));
  CHECK(holds(top_k({1, 100}, least), "(TopK): "));
  CHECK(holds(top_k({1, 100}, 3, 2), "its axis 2"));
  CHECK(holds(top_k({1, 100}, 300, -1, 6), "the first 300 of 100"));
  OneNodeFile open({1, 4});
  CHECK(holds(open.answer("TopK", {"in", "in"}), "depends on the model's input"));
  OneNodeFile two({1, 4});
  CHECK(holds(two.answer("TopK", {"in", two.graph.integers({1, 2})}), "its K is not one number"));
  OneNodeFile none({1, 4});
  CHECK(
      holds(none.answer("TopK", {none.zeros({0, 4}), none.graph.integers({1})}), "is a constant"));
}

TEST_CASE("Indices that do not fit their map are refused with both sizes") {
  CHECK(gather("Gather", {3, 4}, {2, 2}) == "it was read");
  CHECK(holds(gather("Gather", {3, 4}, {2, 2}, {{"axis", int64_t{2}}}), "its axis 2"));
  CHECK(holds(gather("Gather", {}, {2}), "(Gather): its axis 0"));
  CHECK(holds(gather("Gather", {3, 0}, {2}), "has no elements"));
  CHECK(holds(gather("Gather", {0, 3}, {2}), "has no elements"));
  CHECK(gather("GatherElements", {3, 4}, {5, 3}) == "it was read");
  CHECK(holds(gather("GatherElements", {3, 4}, {5, 5}),
              "its indices of 5x5 do not fit a map of 3x4"));
  CHECK(holds(gather("GatherElements", {3, 4}, {5}), "as many dimensions as its map 3x4"));
  CHECK(holds(gather("GatherElements", {}, {1}), "as many dimensions"));
  CHECK(gather("GatherND", {3, 4}, {5, 2}) == "it was read");
  CHECK(holds(gather("GatherND", {3, 4}, {5, 3}), "its indices 5x3 do not fit a map of 3x4"));
  CHECK(holds(gather("GatherND", {3, 4}, {2, 2}, {{"batch_dims", int64_t{1}}}), "do not fit"));
  for (const int64_t batch : {most, least, int64_t{-1}, int64_t{2}})
    CHECK(holds(gather("GatherND", {3, 4}, {3, 1}, {{"batch_dims", batch}}), "(GatherND): "));
}

TEST_CASE("Constant indices off the map are refused") {
  CHECK(gather_at("GatherElements", {3, 4}, {1, 4}, {2, -3, 0, 1}) == "it was read");
  CHECK(holds(gather_at("GatherElements", {3, 4}, {1, 4}, {2, 3, 0, 1}),
              "its index 3 is not one of 3"));
  CHECK(holds(gather_at("GatherElements", {3, 4}, {1, 4}, {2, -4, 0, 1}), "its index -4"));
  CHECK(holds(gather_at("GatherND", {3, 4}, {1, 2}, {0, most}), "(GatherND): its index "));
  CHECK(holds(gather_at("GatherND", {3, 4}, {1, 2}, {least, 0}), "(GatherND): its index "));
  CHECK(holds(gather_at("GatherND", {3, 4}, {0, 2}, {}), "no elements"));
}

TEST_CASE("Updates that do not fit are refused, and reductions that are unknown") {
  const OnnxAttributes along_1{{"axis", int64_t{1}}};
  CHECK(scatter("ScatterElements", {{3, 4}, {2, 5}, {2, 5}}, along_1) == "it was read");
  CHECK(holds(scatter("ScatterElements", {{3, 4}, {2, 5}, {2, 4}}, along_1),
              "its indices of 2x5 and its updates of 2x4 differ"));
  CHECK(holds(scatter("ScatterElements", {{3, 4}, {4, 5}, {4, 5}}, along_1),
              "do not fit a map of 3x4"));
  CHECK(holds(scatter("ScatterElements", {{3, 4}, {4}, {4}}), "do not fit"));
  CHECK(holds(scatter("ScatterElements", {{3, 0}, {1, 1}, {1, 1}}), "(ScatterElements): "));
  CHECK(holds(
      scatter("ScatterElements", {{3, 4}, {2, 5}, {2, 5}}, {{"reduction", std::string("xor")}}),
      "its reduction is 'xor'"));
  CHECK(scatter("ScatterND", {{3, 4}, {2, 2}, {2}}) == "it was read");
  CHECK(holds(scatter("ScatterND", {{3, 4}, {2, 2}, {2, 4}}),
              "its updates are 2x4 where 2 are needed"));
  CHECK(holds(scatter("ScatterND", {{3, 4}, {2, 3}, {2}}), "its indices 2x3 do not fit"));
  CHECK(holds(scatter("ScatterElements", {{2, 3, 2, 3, 5}, {2, 2, 2, 2, 5}, {2, 2, 2, 2, 5}},
                      {{"axis", int64_t{4}}}),
              "differ in too many dimensions"));
}

TEST_CASE("More elements than a float can count are refused") {
  CHECK(top_k({1, 1 << 13, 1 << 10}, 1, 1) == "it was read");
  CHECK(holds(gather_at("GatherND", {1 << 13, 1 << 12}, {1, 2}, {0, 0}),
              "more than 16777216 elements"));
  OneNodeFile pool({1, 2, 1 << 12, 1 << 12});
  pool.graph.node_with_outputs("MaxPool", {"in"}, {{"kernel_shape", Dims{2, 2}}}, {"most", "out"});
  CHECK(holds(pool.answer(), "(MaxPool): its indices are too large"));
}

TEST_CASE("Pooled values are put back only where their sizes fit") {
  const auto unpool = [](const Dims& pooled, const Dims& indices, const OnnxAttributes& attributes,
                         const Dims& size = {}) {
    OneNodeFile file(pooled);
    std::vector<std::string> inputs{"in", file.zeros(indices)};
    if (!size.empty()) inputs.push_back(file.graph.integers(size));
    return file.answer("MaxUnpool", inputs, attributes);
  };
  const OnnxAttributes twice{{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}};
  const Dims map{1, 3, 4, 5};
  CHECK(holds(unpool(map, map, twice), "its indices are not integers"));
  CHECK(holds(unpool(map, {1, 3, 4, 4}, twice),
              "its indices of 1x3x4x4 and its input of 1x3x4x5 differ"));
  CHECK(holds(unpool(map, map, {{"kernel_shape", Dims{2, 2}}, {"pads", Dims{9, 9, 9, 9}}}),
              "(MaxUnpool): "));
  CHECK(holds(unpool(map, map, {{"kernel_shape", Dims{2}}}), "(MaxUnpool): "));
  OneNodeFile large({1, 3, 4000, 4000});
  CHECK(holds(large.answer("MaxUnpool", {"in", "in"}, twice), "its indices are too large"));
  OneNodeFile file(map);
  const std::string size = file.graph.integers({1, 3, 7, 10});
  CHECK(holds(file.answer("MaxUnpool", {"in", "in", size}, twice),
              "its output is 1x3x7x10 and its map is 1x3x8x10"));
}

TEST_CASE("A sequence is not turned round further than it goes") {
  const auto reverse = [](const Dims& dims, const Dims& lengths,
                          const OnnxAttributes& attributes = {}) {
    OneNodeFile file(dims);
    return file.answer("ReverseSequence", {"in", file.graph.integers(lengths)}, attributes);
  };
  CHECK(reverse({4, 3}, {4, 0, 1}) == "it was read");
  CHECK(holds(reverse({4, 3}, {5, 0, 1}), "its length 5 is not one of a sequence of 4"));
  CHECK(holds(reverse({4, 3}, {-1, 0, 1}), "its length -1"));
  CHECK(holds(reverse({4, 3}, {1, 1}), "one length for each of 3 sequences"));
  CHECK(holds(reverse({4, 3}, {1, 1, 1}, {{"batch_axis", int64_t{0}}}), "one dimension"));
  CHECK(holds(reverse({4}, {1}), "(ReverseSequence): its axis 1"));
}
