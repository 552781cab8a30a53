// Operators that are composed of others: numbers out of range, and small files that need much
// memory.
#include <doctest/doctest.h>

#include <limits>

#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::OnnxAttributes;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;
using Case = OneNode;

namespace {

bool holds(const std::string& sentence, std::string_view part) {
  CAPTURE(sentence);
  return sentence.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Borders, repetitions and stretches out of range are refused by their node") {
  const OnnxAttributes mirrored{{"mode", "reflect"}};
  CHECK(Case().refusal_of_list("Pad", {0, 0, 9, 0, 0, 0, 0, 0}, mirrored) == "it was read");
  CHECK(holds(Case().refusal_of_list("Pad", Dims(8, INT64_MIN), mirrored), "(Pad): its pads"));
  CHECK(holds(Case().refusal_of_list("Pad", Dims(8, 1 << 20), mirrored),
              "(Pad): the constants that the ONNX file computes take more than 16 MiB"));
  CHECK(
      holds(Case().refusal_of_list("Pad", Dims(8, -3)), "(Pad): its negative pads leave nothing"));
  CHECK(holds(Case().refusal_of_list("Pad", Dims(7, 1)), "(Pad): it does not have two pads"));
  CHECK(holds(Case().refusal_of_list("Pad", Dims(8, 1), {{"mode", "around"}}), "'around'"));
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, INT64_MAX}) {
    CHECK(holds(Case().refusal_of_list("Tile", {1, 1, bad, 1}), "(Tile): its repetitions"));
  }
  CHECK(holds(Case().refusal_of_list("Tile", {1, 1}), "(Tile): it does not have one repetition"));
  CHECK(holds(Case().refusal_of_list("Tile", {1, 1 << 16, 1 << 16, 1}), "elements"));
  CHECK(holds(Case().refusal_of_list("Expand", {1 << 20, 1 << 20, 1, 1, 1}), "elements"));
  CHECK(holds(Case().refusal_of_list("Expand", {-1, 1, 1, 1, 1}), "would be -1x1x4x6x6"));
}

TEST_CASE("Normalisations and pools by powers refuse numbers that make no sense") {
  for (const int64_t bad : {int64_t{0}, int64_t{-1}, INT64_MAX}) {
    CHECK(holds(Case().refusal("LRN", {}, {{"size", bad}}), "(LRN): its size"));
    CHECK(holds(Case().refusal("GlobalLpPool", {}, {{"p", bad}}), "(GlobalLpPool): its p"));
  }
  CHECK(holds(Case({1, 1 << 20, 1, 1}).refusal("LRN", {}, {{"size", int64_t{5}}}),
              "computes take more than 16 MiB"));
  CHECK(holds(Case({1, 1 << 10, 1 << 9, 1 << 9})
                  .refusal("LpPool", {}, {{"kernel_shape", Dims{1 << 9, 1 << 9}}}),
              "computes take more than 16 MiB"));
  Case channels;
  const std::string three = channels.graph.floats({3}, {1, 2, 3});
  CHECK(
      holds(channels.refusal("InstanceNormalization", {three, three}), "one value for each of 4"));
  CHECK(holds(Case().refusal("ArgMax", {}, {{"axis", int64_t{4}}}), "(ArgMax): its axis 4"));
}

TEST_CASE("A resize to a part of the map refuses a part that is not there") {
  const OnnxAttributes crop{{"coordinate_transformation_mode", "tf_crop_and_resize"}};
  const auto cropped = [&](const std::vector<float>& roi) {
    Case file;
    const std::string part = file.graph.floats({static_cast<int64_t>(roi.size())}, roi);
    return file.refusal("Resize", {part, "", file.graph.integers({1, 4, 5, 5})}, crop);
  };
  CHECK(cropped({0, 0, 0.2F, 0, 1, 1, 1, 0.7F}) == "it was read");
  CHECK(holds(cropped({0, 0, 2, 0, 1, 1, 3, 1}), "(Resize): its roi lies off the map"));
  CHECK(holds(cropped({0, 0, 1, 1}), "(Resize): its roi does not have two numbers"));
  CHECK(holds(cropped({0, 0, 1e30F, 0, 1, 1, 1, 1}), "(Resize): its roi holds a number"));
  CHECK(holds(cropped({0, 0, std::numeric_limits<float>::quiet_NaN(), 0, 1, 1, 1, 1}),
              "(Resize): its roi holds a number"));
}

TEST_CASE("A product of two values that would hold too many elements is refused") {
  Case file({1 << 16, 8});
  const std::string turned = file.graph.node("Transpose", {"in"});
  CHECK(holds(file.refusal("MatMul", {turned}), "elements"));
  Case crooked;
  CHECK(holds(crooked.refusal("MatMul", {crooked.graph.node("Flatten", {"in"})}),
              "(MatMul): its operands 1x4x6x6 and 1x144 do not fit"));
}
