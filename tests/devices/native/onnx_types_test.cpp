// ONNX files of 16-bit floats and doubles, run: a file has the bits of its float32 twin, a Cast
// rounds where the file says so, and tiles round as the whole does.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "partition/base/half.hpp"
#include "partition/readers/onnx.hpp"
#include "tests/devices/layers.hpp"
#include "tests/devices/native/onnx_runs.hpp"
#include "tests/networks/float_types.hpp"

namespace shingle::tests {

namespace {

using networks::FloatType;
using networks::OnnxGraph;
using networks::Storage;

constexpr int64_t f32 = 1, f16 = 10, bf16 = 16;

// All outputs of a file on inputs from a seed.
std::vector<std::vector<float>> outputs(const std::string& file, bool native) {
  const Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  const std::unique_ptr<Executor> executor = make_executor(native);
  const std::vector<Map> maps = run_whole(*executor, *model, random_inputs(*model, 3));
  std::vector<std::vector<float>> result;
  for (size_t i = 0; i < maps.size(); ++i) {
    const ModelOutput& output = model->outputs[i];
    result.push_back(in_file_order(output, model->at(output.tensor).shape, maps[i].values));
  }
  return result;
}

int64_t differing_elements(const std::vector<std::vector<float>>& a,
                           const std::vector<std::vector<float>>& b) {
  REQUIRE(a.size() == b.size());
  int64_t different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (size_t j = 0; j < a[i].size(); ++j)
      if (std::bit_cast<uint32_t>(a[i][j]) != std::bit_cast<uint32_t>(b[i][j])) ++different;
  }
  return different;
}

std::string network(const char* name) { return networks::to_onnx(*networks::make(name, 64)); }

// A convolution between Casts, as converters write it that keep the file's inputs and outputs.
std::string converted_file() {
  OnnxGraph graph;
  graph.input("in", {1, 3, 9, 11}, ElementType::f32);
  graph.output("out", {});
  std::string x = graph.node("Cast", {"in"}, {{"to", f16}});
  x = graph.node("Conv", {x, graph.floats({5, 3, 3, 3}, random_values(135, 2))});
  x = graph.node("Cast", {graph.node("Tanh", {x})}, {{"to", f32}});
  graph.node("Cast", {x}, {{"to", bf16}}, "out");
  return graph.file();
}

float rounded(int64_t type, float x) {
  return type == f16 ? rounded_to_half(x) : type == bf16 ? rounded_to_bfloat16(x) : x;
}

}  // namespace

TEST_CASE("A network of 16-bit floats or doubles computes the bits of its float32 twin") {
  for (const char* name : {"tiny", "yolov8n", "mobilenetv2"}) {
    const std::string file = network(name);
    const auto plain = outputs(file, true);
    for (const FloatType type : {FloatType::f16, FloatType::bf16, FloatType::f64}) {
      CAPTURE(name);
      CAPTURE(static_cast<int>(type));
      const std::string stored = networks::stored_as(file, type);
      const auto computed = outputs(stored, true);
      CHECK(differing_elements(computed, outputs(networks::twin(stored), true)) == 0);
      // The float32 weights themselves are others, unless they were stored as doubles.
      CHECK((differing_elements(computed, plain) == 0) == (type == FloatType::f64));
    }
  }
}

TEST_CASE("Where a file keeps its weights changes no bit of what it computes") {
  const std::string file = network("tiny");
  for (const bool native : {false, true}) {
    for (const FloatType type : {FloatType::f16, FloatType::bf16, FloatType::f64}) {
      const auto expected = outputs(networks::stored_as(file, type), native);
      for (const Storage storage : {Storage::fields, Storage::constant_nodes}) {
        const std::string other = networks::stored_as(file, type, storage);
        CHECK(differing_elements(outputs(other, native), expected) == 0);
      }
    }
  }
}

TEST_CASE("A file with Casts at its inputs and outputs has its twin's bits, and rounded outputs") {
  for (const FloatType type : {FloatType::f16, FloatType::bf16}) {
    const std::string file = networks::stored_as(converted_file(), type);
    const auto computed = outputs(file, true);
    CHECK(differing_elements(computed, outputs(networks::twin(file), true)) == 0);
    auto again = computed;
    for (float& value : again[0]) value = rounded_to_bfloat16(value);
    CHECK(differing_elements(computed, again) == 0);
  }
}

TEST_CASE("A Cast rounds every element, in every tile, and the Cast back keeps it") {
  Array input = random_array({1, 5, 13, 11}, 4);
  for (float& value : input.values) value *= 80'000.0F;
  for (size_t i = 0; i < input.values.size(); i += 3) input.values[i] *= 1e-9F;  // subnormal halves
  for (const int64_t type : {f32, f16, bf16}) {
    CAPTURE(type);
    OnnxGraph graph;
    const std::string cast = graph.node("Cast", {"in"}, {{"to", type}});
    const Array computed = run_onnx(graph, graph.node("Cast", {cast}, {{"to", f32}}), input);
    REQUIRE(computed.values.size() == input.values.size());
    int64_t wrong = 0;
    for (size_t i = 0; i < input.values.size(); ++i)
      if (std::bit_cast<uint32_t>(computed.values[i]) !=
          std::bit_cast<uint32_t>(rounded(type, input.values[i])))
        ++wrong;
    CHECK(wrong == 0);
  }
}

TEST_CASE("A convolution's result that a Cast rounds is the same in tiles") {
  // Sums of integers: all executors have the same ones before they are rounded.
  const auto integers = [](std::vector<float> values, float most) {
    for (float& value : values) value = std::round(value * most);
    return values;
  };
  OnnxGraph graph;
  const std::vector<float> weights = integers(random_values(600, 7), 64.0F);
  Array input = random_array({1, 4, 14, 12}, 9);
  input.values = integers(input.values, 100.0F);
  std::string x =
      graph.node("Conv", {"in", graph.floats({6, 4, 5, 5}, weights)}, {{"pads", Dims{2, 2, 2, 2}}});
  x = graph.node("Cast", {x}, {{"to", f16}});
  const Array computed =
      run_onnx(graph, graph.node("MaxPool", {x}, {{"kernel_shape", Dims{3, 3}}}), input);
  int64_t not_halves = 0;
  for (const float value : computed.values)
    if (value != rounded_to_half(value)) ++not_halves;
  CHECK(not_halves == 0);
}

TEST_CASE("A mask of infinite halves hides what it covers") {
  OnnxGraph graph;
  const std::vector<uint16_t> bits{0x0000, 0xfc00, 0x0000, 0xfc00};
  const std::string halves(reinterpret_cast<const char*>(bits.data()),
                           bits.size() * sizeof bits[0]);
  const Array input = random_array({1, 3, 5, 4}, 6);
  const std::string sum = graph.node("Add", {"in", graph.tensor({4}, f16, halves)});
  const std::string shares = graph.node("Softmax", {sum}, {{"axis", int64_t{3}}});
  check_everywhere(run_onnx(graph, shares, input), input.dims, [&](const Dims& at) {
    if (at[3] % 2 != 0) return 0.0;
    const double other = input.at({at[0], at[1], at[2], 2 - at[3]});
    return 1.0 / (1.0 + std::exp(other - input.at(at)));
  });
}

}  // namespace shingle::tests
