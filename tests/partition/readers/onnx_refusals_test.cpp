// Uses of ONNX operators that cannot be: each is refused by one sentence that names the operator.
#include <doctest/doctest.h>

#include "tests/partition/readers/one_node_file.hpp"

using namespace shingle;
using networks::OnnxAttributes;
using tests::holds;
using tests::OneNodeFile;
using Dims = std::vector<int64_t>;

namespace {

// "in" is queries, keys and values at once; further operands by their dims.
std::string attention(const Dims& dims, const OnnxAttributes& attributes,
                      const std::vector<Dims>& more = {}, int64_t opset = 24) {
  OneNodeFile file(dims, opset);
  std::vector<std::string> inputs{"in", "in", "in"};
  for (const Dims& each : more) inputs.push_back(each.empty() ? "" : file.zeros(each));
  return file.answer("Attention", inputs, attributes);
}

}  // namespace

TEST_CASE("A mask that does not broadcast to the scores is refused with both sizes") {
  const Dims dims{1, 2, 6, 4};
  CHECK(attention(dims, {}, {{6, 6}}) == "it was read");
  CHECK(holds(attention(dims, {}, {{5, 6}}),
              "(Attention): its mask 5x6 does not broadcast to its scores 1x2x6x6"));
  CHECK(holds(attention(dims, {}, {{6, 7}}), "its mask 6x7 does not broadcast"));
  CHECK(holds(attention(dims, {}, {{1, 1, 1, 6, 6}}), "does not broadcast"));
  CHECK(holds(attention(dims, {}, {{3, 6, 6}}), "does not broadcast"));
  CHECK(attention(dims, {}, {{6, 4}}) == "it was read");  // padded from opset 24 on
  CHECK(holds(attention(dims, {}, {{6, 4}}, 23), "does not broadcast"));
}

TEST_CASE("Attention is refused with a cache, or with heads that its operands do not have") {
  const Dims dims{1, 2, 6, 4}, flat{1, 6, 8};
  CHECK(holds(attention(dims, {}, {{}, {1, 2, 3, 4}, {1, 2, 3, 4}}), "(Attention): it continues"));
  CHECK(attention(flat, {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{4}}}) ==
        "it was read");
  for (const int64_t bad : {int64_t{0}, int64_t{-2}, int64_t{3}, INT64_MAX, INT64_MIN}) {
    CHECK(holds(attention(flat, {{"q_num_heads", bad}, {"kv_num_heads", int64_t{4}}}), "6x8"));
    CHECK(holds(attention(flat, {{"q_num_heads", int64_t{4}}, {"kv_num_heads", bad}}), "6x8"));
  }
  CHECK(holds(attention(flat, {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{2}}}),
              "do not fit"));  // heads of 2 and of 4 features
  CHECK(holds(attention({6, 8}, {}), "(Attention): its input 6x8"));
  CHECK(holds(attention(dims, {{"softcap", -1.0F}}), "its softcap"));
}

TEST_CASE("Attention without an operand that depends on the input is refused") {
  OneNodeFile file({1, 2, 6, 4});
  const std::string known = file.zeros({1, 2, 6, 4});
  CHECK(
      holds(file.answer("Attention", {known, known, "in"}), "its queries and keys are constants"));
  OneNodeFile other({1, 2, 6, 4});
  const std::string none = other.zeros({1, 0, 6, 4});
  CHECK(holds(other.answer("Attention", {"in", none, none}), "has no elements"));
}

TEST_CASE("A rotary embedding is refused if its caches, positions or pairs do not fit") {
  const auto rotary = [](const Dims& dims, const Dims& cache, const OnnxAttributes& attributes = {},
                         const Dims& positions = {}) {
    OneNodeFile file(dims);
    std::vector<std::string> inputs{"in", file.zeros(cache), file.zeros(cache)};
    if (!positions.empty()) {
      const std::string list = file.graph.integers(positions);
      const auto count = static_cast<int64_t>(positions.size());
      const std::string shape = file.graph.integers({1, count});
      inputs.push_back(file.graph.node("Reshape", {list, shape}));
    }
    return file.answer("RotaryEmbedding", inputs, attributes);
  };
  const Dims dims{1, 2, 3, 8};
  CHECK(rotary(dims, {1, 3, 4}) == "it was read");
  CHECK(rotary(dims, {5, 4}, {}, {0, 4, 2}) == "it was read");
  CHECK(
      holds(rotary(dims, {1, 3, 3}), "(RotaryEmbedding): its cache 1x3x3 does not hold 4 angles"));
  CHECK(holds(rotary(dims, {3, 4}), "its cache 3x4"));
  CHECK(holds(rotary(dims, {5, 4}, {}, {0, 5, 2}), "its position 5 is not one of 5"));
  CHECK(holds(rotary(dims, {5, 4}, {}, {0, -1, 2}), "its position -1"));
  CHECK(holds(rotary(dims, {5, 4}, {}, {0, 1}), "its positions are not"));
  CHECK(holds(rotary({1, 3, 16}, {1, 3, 4}), "heads"));
  for (const int64_t bad : {int64_t{3}, int64_t{-2}, int64_t{10}, INT64_MAX, INT64_MIN})
    CHECK(holds(rotary(dims, {1, 3, 4}, {{"rotary_embedding_dim", bad}}), "even number"));
}

TEST_CASE("An Einsum on values is refused if its equation does not fit them") {
  const auto einsum = [](const std::string& equation, const Dims& more) {
    OneNodeFile file({2, 3});
    std::vector<std::string> inputs{"in"};
    if (!more.empty()) inputs.push_back(file.zeros(more));
    return file.answer("Einsum", inputs, {{"equation", equation}});
  };
  CHECK(einsum("ij,jk->ik", {3, 4}) == "it was read");
  CHECK(holds(einsum("ij,jk->ik", {4, 4}), "(Einsum): its index j has two sizes, 3 and 4"));
  CHECK(holds(einsum("ii->i", {}), "its index i has two sizes, 2 and 3"));
  CHECK(holds(einsum("ij,jk->iik", {3, 4}), "its result has the index i twice"));
  CHECK(holds(einsum("ij,jk->z", {3, 4}), "the index z, which no operand has"));
  CHECK(holds(einsum("ijk->i", {}), "names 3 dimensions of 2x3"));
  CHECK(holds(einsum("ij,jk->ik", {0, 3}), "has no elements"));
  CHECK(holds(einsum("", {}), "(Einsum): "));
  CHECK(holds(einsum(std::string(10'000, 'i'), {}), "not one of letters"));
  CHECK(holds(einsum(std::string(10'000, ','), {}), "not one of letters"));
}

TEST_CASE("Places are refused if they are not pairs for one map, or read in an unknown way") {
  const auto sample = [](const Dims& map, const Dims& grid, const OnnxAttributes& attributes = {}) {
    OneNodeFile file(map);
    return file.answer("GridSample", {"in", file.zeros(grid)}, attributes);
  };
  const Dims map{1, 3, 5, 7};
  CHECK(sample(map, {1, 4, 4, 2}) == "it was read");
  CHECK(holds(sample(map, {1, 4, 4, 3}), "(GridSample): its input 1x3x5x7 and its grid 1x4x4x3"));
  CHECK(holds(sample(map, {2, 4, 4, 2}), "its grid 2x4x4x2"));
  CHECK(holds(sample(map, {1, 4, 0, 2}), "(GridSample): "));
  CHECK(holds(sample({1, 3, 5}, {1, 4, 4, 2}), "its input 1x3x5 "));
  CHECK(sample({2, 3, 5, 7}, {2, 4, 4, 2}) == "it was read");
  CHECK(holds(sample({257, 1, 2, 2}, {257, 1, 1, 2}), "more than 256 maps"));
  CHECK(holds(sample(map, {1, 4, 4, 2}, {{"mode", std::string("area")}}), "its mode is 'area'"));
  CHECK(holds(sample(map, {1, 4, 4, 2}, {{"padding_mode", std::string("wrap")}}), "padding_mode"));
}

TEST_CASE("A grid of an affine map is refused without a matrix and a size that fit") {
  const auto grid = [](const Dims& theta, const Dims& size) {
    OneNodeFile file(theta);
    return file.answer("AffineGrid", {"in", file.graph.integers(size)});
  };
  CHECK(grid({1, 2, 3}, {1, 3, 4, 5}) == "it was read");
  CHECK(holds(grid({1, 2, 3}, {2, 3, 4, 5}), "(AffineGrid): its theta 1x2x3"));
  CHECK(holds(grid({1, 3, 3}, {1, 3, 4, 5}), "its theta 1x3x3"));
  CHECK(holds(grid({1, 2, 3}, {1, 3, 4}), "its size 1x3x4"));
  CHECK(holds(grid({1, 2, 3}, {1, 3, 0, 5}), "its size is 1x3x0x5"));
  CHECK(holds(grid({1, 2, 3}, {1, 3, -4, 5}), "its size is"));
  CHECK(holds(grid({1, 2, 3}, {1, 3, INT64_MAX, INT64_MAX}), "elements"));
}

TEST_CASE("RoiAlign is refused without regions that it can read") {
  const auto align = [](const Dims& rois, int64_t samples, OnnxAttributes attributes = {},
                        int64_t frame = 0) {
    OneNodeFile file({1, 3, 5, 7});
    attributes.emplace_back("sampling_ratio", samples);
    const Dims frames(static_cast<size_t>(rois[0]), frame);
    return file.answer("RoiAlign", {"in", file.zeros(rois), file.graph.integers(frames)},
                       attributes);
  };
  CHECK(align({2, 4}, 2) == "it was read");
  CHECK(holds(align({2, 5}, 2), "(RoiAlign): its input 1x3x5x7 and its regions 2x5"));
  CHECK(holds(align({2, 4}, 2, {{"mode", std::string("min")}}), "its mode 'min' is unknown"));
  CHECK(align({2, 4}, 2, {{"mode", std::string("max")}}) == "it was read");
  CHECK(holds(align({2, 4}, 2, {}, 1), "another frame"));
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, int64_t{257}, INT64_MAX})
    CHECK(holds(align({2, 4}, bad), "its sampling_ratio is"));
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, int64_t{1} << 30, INT64_MAX})
    CHECK(holds(align({2, 4}, 2, {{"output_height", bad}}), "(RoiAlign): its output"));
  CHECK(holds(align({4096, 4}, 256, {{"output_height", int64_t{1000}}}), "(RoiAlign): its output"));
}

TEST_CASE("Col2Im is refused if its windows do not make up its input") {
  const auto fold = [](const Dims& dims, const Dims& image, const Dims& block,
                       const OnnxAttributes& attributes = {}) {
    OneNodeFile file(dims);
    return file.answer("Col2Im", {"in", file.graph.integers(image), file.graph.integers(block)},
                       attributes);
  };
  CHECK(fold({1, 8, 9}, {4, 4}, {2, 2}) == "it was read");
  CHECK(holds(fold({1, 8, 8}, {4, 4}, {2, 2}), "(Col2Im): its input 1x8x8 does not hold 3x3"));
  CHECK(holds(fold({1, 7, 9}, {4, 4}, {2, 2}), "does not hold 3x3 windows of 2x2"));
  CHECK(holds(fold({1, 8, 9}, {4, 4}, {5, 5}), "does not hold"));
  CHECK(holds(fold({1, 8, 9}, {4, 4, 4}, {2, 2, 2}), "not one frame of windows"));
  CHECK(holds(fold({2, 8, 9}, {4, 4}, {2, 2}), "not one frame"));
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, INT64_MAX}) {
    CHECK(holds(fold({1, 8, 9}, {bad, 4}, {2, 2}), "(Col2Im): "));
    CHECK(holds(fold({1, 8, 9}, {4, 4}, {2, bad}), "(Col2Im): its kernel"));
    CHECK(holds(fold({1, 8, 9}, {4, 4}, {2, 2}, {{"strides", Dims{bad, 1}}}), "its strides"));
  }
}

TEST_CASE("A deformable convolution is refused if its offsets or weights do not fit") {
  const auto deform = [](const Dims& weights, const Dims& offsets, const Dims& mask = {},
                         const OnnxAttributes& attributes = {}) {
    OneNodeFile file({1, 4, 5, 6});
    std::vector<std::string> inputs{"in", file.zeros(weights), file.zeros(offsets)};
    if (!mask.empty()) inputs.insert(inputs.end(), {"", file.zeros(mask)});
    return file.answer("DeformConv", inputs, attributes);
  };
  const Dims weights{6, 4, 3, 3}, offsets{1, 18, 3, 4};
  CHECK(deform(weights, offsets) == "it was read");
  CHECK(deform(weights, offsets, {1, 9, 3, 4}) == "it was read");
  CHECK(holds(deform(weights, {1, 9, 3, 4}), "(DeformConv): its input 2 is 1x9x3x4 and not 1x18"));
  CHECK(holds(deform(weights, offsets, {1, 18, 3, 4}), "its input 4 is 1x18x3x4"));
  CHECK(holds(deform({6, 3, 3, 3}, offsets), "do not fit an input of 1x4x5x6"));
  CHECK(holds(deform({6, 4, 3}, offsets), "not of height and width"));
  CHECK(holds(deform({6, 4, 9, 9}, offsets), "(DeformConv): "));
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, int64_t{3}, INT64_MAX}) {
    CHECK(holds(deform(weights, offsets, {}, {{"offset_group", bad}}), "do not fit"));
    CHECK(holds(deform(weights, offsets, {}, {{"group", bad}}), "do not fit"));
  }
}
