// shingle verify from outside.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "apps/client/node_layers.hpp"
#include "apps/models/model_file.hpp"
#include "apps/system/reserved_ports.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {

TEST_CASE(
    "verify names no layer where two kernels share their bits, and the first where they do not") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("front.onnx", networks::to_onnx(networks::make("yolov2_front", 96).value()));
  SUBCASE("our direct kernels and XNNPACK's") {
    Program verify(
        {"verify", model, "--of", "native", "--against", "xnnpack", "--tolerance", "0", "--json"});
    REQUIRE_MESSAGE(verify.end() == "exit code 0", verify.err());
    const auto json = nlohmann::json::parse(verify.out());
    CHECK(json["first_other_bits"].is_null());
    CHECK(json["first_that_departs"].is_null());
    for (const auto& layer : json["layers"]) CHECK(layer["differing"] == 0);
  }
  SUBCASE("Winograd and direct, at a tolerance that only equal bits meet") {
    Program verify({"verify", model, "--against", "native-direct", "--tolerance", "0"});
    CHECK(verify.end() == "exit code 1");
    CHECK(verify.out().find("first layer that departs: ") != std::string::npos);
  }
}

TEST_CASE("every layer of a network is asked of the node once, where something shows it") {
  networks::Random random(11);
  for (int turn = 0; turn < 30; ++turn) {
    const Model model = networks::random_model(random);
    std::vector<int> asked(model.layers.size(), 0);
    for (const std::vector<bool>& at_node : question_rounds(model)) {
      for (size_t layer = 0; layer < at_node.size(); ++layer) {
        if (!at_node[layer]) continue;
        ++asked[layer];
        bool shown = false;
        for (const ModelOutput& output : model.outputs)
          shown |= output.tensor == model.layers[layer].output;
        for (size_t reader = 0; reader < at_node.size(); ++reader)
          for (const TensorId input : model.layers[reader].inputs)
            shown |= !at_node[reader] && input == model.layers[layer].output;
        CHECK(shown);
      }
    }
    for (const int times : asked) CHECK(times == 1);
  }
}

TEST_CASE("verify asks running nodes for their layers, and names the first that departs") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("front.onnx", networks::to_onnx(networks::make("resnet18", 64).value()));
  auto ports = ReservedPorts::on_loopback(3);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  Program equal({"node", "--cluster", cluster, "--id", "0", "--models", model, "--insecure"});
  Program other({"node", "--cluster", cluster, "--id", "1", "--models", model, "--insecure",
                 "--executor", "reference"});
  Program verify({"verify", model, "--cluster", cluster, "--id", "2", "--against", "native",
                  "--tolerance", "0", "--insecure", "--json"});
  CHECK(verify.end() == "exit code 1");
  const auto lines = verify.out_lines();
  REQUIRE_MESSAGE(lines.size() == 2, verify.err());
  const auto first = nlohmann::json::parse(lines[0]), second = nlohmann::json::parse(lines[1]);
  const size_t layers = open_model(model)->model.layers.size();
  CHECK(first["of"] == "node 0");
  CHECK(first["layers"].size() == layers);
  CHECK(first["first_other_bits"].is_null());
  for (const auto& layer : first["layers"]) CHECK(layer["differing"] == 0);
  CHECK(second["of"] == "node 1");
  CHECK(second["layers"].size() == layers);
  CHECK(second["first_that_departs"].is_string());
}

TEST_CASE("verify refuses an executor that there is not") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("tiny.onnx", networks::to_onnx(networks::make("tiny").value()));
  Program verify({"verify", model, "--of", "magic"});
  CHECK(verify.end() == "exit code 2");
  CHECK(verify.err().find("known are native, xnnpack and reference") != std::string::npos);
}

}  // namespace shingle
