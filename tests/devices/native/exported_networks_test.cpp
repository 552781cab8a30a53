// Networks as exporters write them, small, at every opset that changed their nodes.
#include <doctest/doctest.h>

#include <map>

#include "partition/readers/onnx.hpp"
#include "tests/conformance/tiles.hpp"
#include "tests/devices/layers.hpp"
#include "tests/devices/tile_runs.hpp"
#include "tests/networks/exported/exported.hpp"

namespace shingle::tests {

namespace {

Model read(const networks::ExportedName& network, int64_t opset, std::string& file) {
  file = networks::exported(network.name, {.opset = opset, .size = network.small_size})->file;
  Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  return std::move(*model);
}

// Every other network is cut by a grid, the others as the planner cuts.
void tiles_must_agree(Executor& executor, const Model& model, const Map& input,
                      const std::vector<Map>& wholes, uint64_t seed) {
  const auto tiles = conformance::run_tiles(executor, model, conformance::random_plan(model, seed),
                                            {input.values});
  REQUIRE_MESSAGE(tiles.ok(), tiles.error());
  const std::vector<Slice> outputs = whole_program(model).outputs;
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    for (size_t j = 0; j < outputs.size(); ++j) {
      if (outputs[j].tensor != model.outputs[i].tensor) continue;
      CHECK(differing_bytes({wholes[j].region, (*tiles)[i]}, wholes[j]) == 0);
    }
  }
}

}  // namespace

TEST_CASE("Exported networks are read at each opset, and our kernels agree with the reference" *
          doctest::test_suite("long")) {
  uint64_t seed = 1;
  for (const networks::ExportedName& network : networks::exported_names()) {
    ++seed;
    for (const int64_t opset : network.opsets) {
      CAPTURE(network.name);
      CAPTURE(opset);
      std::string file;
      const Model model = read(network, opset, file);
      const Map input = random_map(model.at(model.inputs[0]).shape, 5);
      const std::unique_ptr<Executor> reference = make_executor(false),
                                      native = make_executor(true);
      const std::vector<Map> expected = run_whole(*reference, model, {input});
      const std::vector<Map> computed = run_whole(*native, model, {input});
      for (size_t i = 0; i < expected.size(); ++i)
        CHECK(relative_error(computed[i], expected[i]) < 2e-5);
      if (opset == 18) tiles_must_agree(*native, model, input, computed, seed);
    }
  }
}

TEST_CASE("An exported network has the same layers at each opset" * doctest::test_suite("long")) {
  for (const networks::ExportedName& network : networks::exported_names()) {
    if (network.name == "vit_tiny")
      continue;                               // 12 sums more where its normalisations are operators
    if (network.name == "yolo26n") continue;  // GatherND chooses its rows from 18 on, Gather before
    CAPTURE(network.name);
    std::map<std::string, int> first;
    for (const int64_t opset : network.opsets) {
      if (opset == 24) continue;  // other operators
      CAPTURE(opset);
      std::string file;
      std::map<std::string, int> kinds;
      for (const Layer& layer : read(network, opset, file).layers) ++kinds[name_of(layer.op)];
      if (first.empty()) first = kinds;
      CHECK(kinds == first);
    }
  }
}

TEST_CASE("What exported networks compute depends on their input, so that errors show" *
          doctest::test_suite("long")) {
  for (const networks::ExportedName& network : networks::exported_names()) {
    CAPTURE(network.name);
    std::string file;
    const Model model = read(network, 18, file);
    const Shape shape = model.at(model.inputs[0]).shape;
    const std::unique_ptr<Executor> native = make_executor(true);
    const std::vector<Map> once = run_whole(*native, model, {random_map(shape, 5)});
    const std::vector<Map> again = run_whole(*native, model, {random_map(shape, 6)});
    for (size_t i = 0; i < once.size(); ++i) CHECK(relative_error(again[i], once[i]) > 0.02);
  }
}

TEST_CASE("What a layer-wise engine holds of a network counts each value while it is read") {
  // ESPCN's widest moment: two maps of 64 channels, of which a ReLU needs no third.
  const auto espcn = networks::exported("espcn", {.size = 16});
  REQUIRE(espcn.ok());
  CHECK(espcn->layer_wise_bytes == 2 * 64 * 16 * 16 * 4);
}

TEST_CASE("An exported network has the operators of its opset, and refuses an opset without them") {
  const auto has = [](std::string_view name, int64_t opset, std::string_view op) {
    const auto network = networks::exported(name, {.opset = opset, .size = 32});
    REQUIRE(network.ok());
    return network->file.find(op) != std::string::npos;
  };
  CHECK(has("vit_tiny", 24, "RMSNormalization"));
  CHECK_FALSE(has("vit_tiny", 22, "RMSNormalization"));
  CHECK(has("vit_tiny", 22, "LayerNormalization"));
  CHECK_FALSE(has("vit_tiny", 13, "LayerNormalization"));
  CHECK_FALSE(networks::exported("rtdetr_r18", {.opset = 13, .size = 64}).ok());
  CHECK_FALSE(networks::exported("vit_tiny", {.opset = 18, .size = 33}).ok());
}

}  // namespace shingle::tests
