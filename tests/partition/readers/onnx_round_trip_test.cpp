// Our own models written as ONNX files and read back.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "partition/model/demand.hpp"
#include "tests/networks/networks.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using Dims = std::vector<int64_t>;

namespace {

bool has_constant(const Model& model, const Layer& layer) {
  return std::any_of(layer.inputs.begin(), layer.inputs.end(),
                     [&](TensorId input) { return model.at(input).constant.has_value(); });
}

// Number of operators that compute, by kind. Moves may be merged or left out, a PRelu with one
// slope is an activation, and arithmetic with constants may be folded into a convolution.
std::map<std::string, int> computing_counts(const Model& model) {
  std::map<std::string, int> counts;
  for (const Layer& layer : model.layers) {
    const auto* binary = std::get_if<Binary>(&layer.op);
    if (binary != nullptr && has_constant(model, layer)) continue;
    const std::string kind = name_of(layer.op);
    for (const char* counted : {"Convolution", "TransposedConvolution", "Pooling", "Resize",
                                "Binary", "Softmax", "MatrixProduct"}) {
      if (kind == counted) ++counts[kind];
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("Random models written as ONNX come back with the same work in them") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    const Model model = networks::random_model(random);
    const std::string file = networks::to_onnx(model);
    const Result<Model> back = read(file);
    REQUIRE_MESSAGE(back.ok(), (back.ok() ? "" : back.error()));
    CHECK(defects(*back).empty());
    CHECK(total_macs(*back) == total_macs(model));
    CHECK(computing_counts(*back) == computing_counts(model));
    REQUIRE(back->outputs.size() == model.outputs.size());
    for (size_t i = 0; i < model.outputs.size(); ++i) {
      CHECK(back->outputs[i].dims == model.outputs[i].dims);
      CHECK(back->outputs[i].name == model.outputs[i].name);
    }
  }
}

TEST_CASE("Named networks written as ONNX come back layer by layer") {
  for (const char* name : {"tiny", "yolov2_front", "mobilenetv2", "unet"}) {
    CAPTURE(name);
    const Result<Model> model = networks::make(name, 64);
    REQUIRE(model.ok());
    const std::string file = networks::to_onnx(*model);
    const Result<Model> back = read(file);
    REQUIRE_MESSAGE(back.ok(), (back.ok() ? "" : back.error()));
    REQUIRE(kinds(*back) == kinds(*model));
    for (size_t i = 0; i < model->layers.size(); ++i) {
      const Layer &before = model->layers[i], &after = back->layers[i];
      CHECK(back->at(after.output).shape == model->at(before.output).shape);
      CHECK(after.activation == before.activation);
    }
    CHECK(total_macs(*back) == total_macs(*model));
    CHECK(parameters(*back) == parameters(*model));
    CHECK(back->owned.empty());  // every weight is a view of the file
  }
}

TEST_CASE("A model is named by the hash of its file's bytes") {
  const std::string file = networks::to_onnx(*networks::make("tiny"));
  CHECK(read(file)->hash == sha256(std::as_bytes(std::span(file))));
}

TEST_CASE("YOLOv8's decoded head comes back without the slices of joined maps, with one output") {
  const Result<Model> model = networks::make("yolov8n", 64);
  REQUIRE(model.ok());
  const std::string file = networks::to_onnx(*model);
  const Result<Model> back = read(file);
  REQUIRE_MESSAGE(back.ok(), (back.ok() ? "" : back.error()));
  std::map<std::string, int> expected = kind_counts(*model);
  std::map<std::string, int> found = kind_counts(*back);
  CHECK(found["StridedSlice"] == expected["StridedSlice"] - 2);  // boxes and scores
  for (const char* kind : {"StridedSlice", "Concat", "Rearrange"}) {
    expected.erase(kind);
    found.erase(kind);
  }
  expected.erase("Elementwise");  // the sigmoid of the scores, which is merged into their join
  CHECK(found == expected);
  CHECK(total_macs(*back) == total_macs(*model));
  CHECK(back->outputs[0].dims == Dims{1, 84, 1, 84});
}

TEST_CASE("The named networks have the sizes that their papers count") {
  const auto gigaflop = [](const char* name) {
    return 2e-9 * static_cast<double>(total_macs(*networks::make(name)));
  };
  CHECK(gigaflop("yolov2_front") == doctest::Approx(26.0).epsilon(0.002));
  CHECK(gigaflop("mobilenetv2") == doctest::Approx(0.60).epsilon(0.01));
  CHECK(gigaflop("yolov8n") == doctest::Approx(8.7).epsilon(0.01));
}
