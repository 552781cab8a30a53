// Element types of ONNX files: which are read as floats, where values are rounded, and what is
// refused.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "partition/base/half.hpp"
#include "tests/networks/float_types.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::FloatType;
using networks::OnnxGraph;
using networks::Storage;
using Kind = Activation::Kind;

namespace {

constexpr FloatType types[] = {FloatType::f32, FloatType::f16, FloatType::f64, FloatType::bf16};
constexpr Storage storages[] = {Storage::raw, Storage::fields, Storage::constant_nodes};
constexpr int64_t f32 = 1, f16 = 10, f64 = 11, bf16 = 16;

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// The input times the graph's value `factors` of 4 elements.
std::string product_file(OnnxGraph& graph, const std::string& factors) {
  graph.input("in", {1, 4, 1, 1}, ElementType::f32);
  graph.output("out", {});
  const std::string shape = graph.integers({1, 4, 1, 1});
  graph.node("Mul", {"in", graph.node("Reshape", {factors, shape})}, {}, "out");
  return graph.file();
}

// The four factors as the model has them.
std::vector<float> factors(const Model& model) {
  const Tensor& constant = model.at(model.layers[0].inputs[1]);
  REQUIRE(constant.constant.has_value());
  const FloatView view = model.at(*constant.constant);
  return {view[0], view[1], view[2], view[3]};
}

std::vector<float> factors(const std::string& file) {
  const Result<Model> model = read(file);
  REQUIRE_MESSAGE(model.ok(), model.error());
  return factors(*model);
}

std::string refusal(const std::string& file) {
  const Result<Model> model = read(file);
  return model.ok() ? "it was read" : model.error();
}

// What becomes of the constants when a Cast to `type` follows.
std::vector<float> cast_factors(const std::vector<float>& values, int64_t type) {
  OnnxGraph graph;
  const std::string cast = graph.node("Cast", {graph.floats({4}, values)}, {{"to", type}});
  return factors(product_file(graph, cast));
}

// A convolution, a Cast to `type`, a ReLU.
std::string cast_file(int64_t type) {
  OnnxGraph graph;
  graph.input("in", {1, 1, 4, 4}, ElementType::f32);
  graph.output("out", {});
  const std::string map = graph.node("Conv", {"in", graph.floats({1, 1, 1, 1}, {3.0F})});
  graph.node("Relu", {graph.node("Cast", {map}, {{"to", type}})}, {}, "out");
  return graph.file();
}

}  // namespace

TEST_CASE("Weights of every floating point type are read, wherever the file keeps them") {
  const std::vector<float> values{0.1F, -3.3e-5F, 70'000.0F, 1.0F / 3.0F};
  OnnxGraph graph;
  const std::string file = product_file(graph, graph.floats({4}, values));
  for (const FloatType type : types) {
    std::vector<float> expected = values;
    for (float& value : expected) {
      if (type == FloatType::f16) value = rounded_to_half(value);
      if (type == FloatType::bf16) value = rounded_to_bfloat16(value);
    }
    for (const Storage storage : storages) {
      CAPTURE(static_cast<int>(type));
      CAPTURE(static_cast<int>(storage));
      CHECK(factors(networks::stored_as(file, type, storage)) == expected);
    }
    CHECK(factors(networks::twin(networks::stored_as(file, type))) == expected);
  }
}

TEST_CASE("Infinite and subnormal halves are kept, and NaN stays NaN") {
  OnnxGraph graph;
  const std::string halves =
      graph.tensor({4}, f16, raw(std::vector<uint16_t>{0xfc00, 0x7c00, 0x8001, 0x7e01}));
  const std::vector<float> values = factors(product_file(graph, halves));
  CHECK(values[0] == -std::numeric_limits<float>::infinity());
  CHECK(values[1] == std::numeric_limits<float>::infinity());
  CHECK(values[2] == -0x1p-24F);
  CHECK(std::isnan(values[3]));
}

TEST_CASE("Doubles are rounded to the nearest float, and infinite beyond the largest one") {
  OnnxGraph graph;
  const std::vector<double> exact{0.1, 1.0 + 0x1p-24, 1e300, -1e-300};
  const std::vector<float> values =
      factors(product_file(graph, graph.tensor({4}, f64, raw(exact))));
  CHECK(values[0] == 0.1F);
  CHECK(values[1] == 1.0F);
  CHECK(values[2] == std::numeric_limits<float>::infinity());
  CHECK((values[3] == 0.0F && std::signbit(values[3])));
}

TEST_CASE("Weights in a file beside the model are read in their type") {
  OnnxGraph graph;
  const OnnxGraph::Place place{.location = "w.bin", .offset = "2", .length = ""};
  const std::string file = product_file(graph, graph.external({4}, place, f16));
  const std::string halves = raw(std::vector<uint16_t>{0xffff, 0x3c00, 0xbc00, 0x4000, 0x3800});
  const OnnxExternal external{"w.bin", std::as_bytes(std::span(halves))};
  const auto model =
      read_onnx(std::as_bytes(std::span(file)), {}, {.external = std::span(&external, 1)});
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(factors(*model) == std::vector<float>{1.0F, -1.0F, 2.0F, 0.5F});
}

TEST_CASE("A Cast of a constant rounds it to the type that it names") {
  const std::vector<float> values{0.1F, 1.0F + 0x1p-11F, 70'000.0F, -1e-9F};
  CHECK(cast_factors(values, f32) == values);
  CHECK(cast_factors(values, f64) == values);
  const std::vector<float> halves = cast_factors(values, f16);
  const std::vector<float> bfloats = cast_factors(values, bf16);
  for (size_t i = 0; i < values.size(); ++i) {
    CHECK(std::bit_cast<uint32_t>(halves[i]) ==
          std::bit_cast<uint32_t>(rounded_to_half(values[i])));
    CHECK(bfloats[i] == rounded_to_bfloat16(values[i]));
  }
  OnnxGraph graph;
  const std::string odd = graph.integers({2049, 3, -65'520, 65'519});
  const std::string cast = graph.node("Cast", {odd}, {{"to", f16}});
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(factors(product_file(graph, cast)) ==
        std::vector<float>{2048.0F, 3.0F, -infinity, 65'504.0F});
}

TEST_CASE("Arithmetic on constants of 16 bits is float32 arithmetic, as that on values is") {
  OnnxGraph graph;
  const std::string a =
      graph.tensor({4}, f16, raw(std::vector<uint16_t>{0x3c01, 0x7bff, 1, 0x3c00}));
  const std::string file = product_file(graph, graph.node("Mul", {a, a}));
  const float above_one = 1.0F + 0x1p-10F;
  CHECK(factors(file) ==
        std::vector<float>{above_one * above_one, 65'504.0F * 65'504.0F, 0x1p-48F, 1.0F});
  CHECK(factors(networks::twin(file)) == factors(file));
}

TEST_CASE("A Cast of a value to a type of 16 bits rounds it, other Casts to floats do nothing") {
  const auto activations = [](int64_t type) {
    const std::string file = cast_file(type);
    const Result<Model> model = read(file);
    REQUIRE_MESSAGE(model.ok(), model.error());
    std::vector<Kind> found;
    for (const Layer& layer : model->layers) found.push_back(layer.activation.kind);
    return found;
  };
  CHECK(activations(f32) == std::vector<Kind>{Kind::relu});
  CHECK(activations(f64) == std::vector<Kind>{Kind::relu});
  CHECK(activations(f16) == std::vector<Kind>{Kind::to_half, Kind::relu});
  CHECK(activations(bf16) == std::vector<Kind>{Kind::to_bfloat16, Kind::relu});
}

TEST_CASE("A file in which all is of 16 bits has the layers of its twin, none of which rounds") {
  const std::string file = networks::to_onnx(*networks::make("yolov8n", 64));
  for (const FloatType type : types) {
    CAPTURE(static_cast<int>(type));
    const Result<Model> model = read(networks::stored_as(file, type));
    REQUIRE_MESSAGE(model.ok(), model.error());
    const Result<Model> plain = read(file);
    REQUIRE(kinds(*model) == kinds(*plain));
    for (size_t i = 0; i < model->layers.size(); ++i)
      CHECK(model->layers[i].activation == plain->layers[i].activation);
    CHECK(model->at(model->inputs[0]).type == ElementType::f32);
    CHECK(model->outputs[0].dims == plain->outputs[0].dims);
  }
}

TEST_CASE("Types that are not read are refused by their names") {
  CHECK(refusal(cast_file(17)) ==
        "node 'Cast_4' (Cast): it casts to float8e4m3fn, and shingle casts to float, float16, "
        "bfloat16, double, int32, int64 and "
        "bool");
  CHECK(refusal(cast_file(99)) ==
        "node 'Cast_4' (Cast): it casts to number 99, and shingle casts to float, float16, "
        "bfloat16, double, int32, int64 and "
        "bool");
  const std::pair<int64_t, const char*> unread[] = {
      {8, "string"}, {14, "complex64"}, {15, "complex128"}, {17, "float8e4m3fn"},
      {22, "int4"},  {0, "undefined"},  {-5, "number -5"},  {27, "number 27"}};
  for (const auto& [type, name] : unread) {
    CAPTURE(name);
    OnnxGraph graph;
    const std::string file = product_file(graph, graph.tensor({4}, type, std::string(4, '\0')));
    CHECK(refusal(file).find("(Reshape): tensor 'constant_0' is of type " + std::string(name) +
                             ", and shingle reads float, float16, bfloat16, double, bool and "
                             "integers of 8, 32 and 64 bits") != std::string::npos);
  }
}

TEST_CASE("An input that holds no floats is refused by its type") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 1, 1}, ElementType::u8);
  graph.node("Relu", {"in"}, {}, "out");
  graph.output("out", {});
  CHECK(refusal(graph.file()) ==
        "input 'in' is of type uint8, and shingle takes float, float16, bfloat16, double, int32, "
        "int64 and bool");
}

TEST_CASE("A tensor of 16 bits with too few or too many bytes is refused") {
  for (const size_t bytes : {0U, 7U, 9U, 16U}) {
    CAPTURE(bytes);
    OnnxGraph graph;
    const std::string file = product_file(graph, graph.tensor({4}, bf16, std::string(bytes, 'x')));
    CHECK(refusal(file).find("does not hold as many elements as its dimensions say") !=
          std::string::npos);
  }
}
