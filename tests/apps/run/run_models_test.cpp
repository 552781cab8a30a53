// `shingle run` with further models, from outside.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/system/reserved_ports.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

// As large as model_in()'s, with other weights.
std::string second_model_in(const ScratchFolder& folder) {
  return folder.with_text("second.onnx", networks::to_onnx(networks::make("tiny", 0, 2).value()));
}

std::vector<uint64_t> frames_of(const std::vector<Json>& lines, const std::string& model) {
  std::vector<uint64_t> frames;
  for (const Json& line : lines)
    if (line.contains("frame") && line.value("model", "") == model)
      frames.push_back(line["frame"].get<uint64_t>());
  return frames;
}

TEST_CASE("a further model computes every third frame beside the main one, every byte equal") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), second = second_model_in(folder);
  Program program({"run", model, clip_in(folder, 10), "--model", "plates=" + second + ":3",
                   "--workers", "2", "--json", "--verify", "--raw-out", folder / "raw"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  std::vector<Json> lines;
  for (const std::string& line : program.out_lines()) lines.push_back(Json::parse(line));
  CHECK(frames_of(lines, "") == std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(frames_of(lines, "plates") == std::vector<uint64_t>{0, 3, 6, 9});
  const Json& summary = lines.back();
  CHECK(summary["frames"] == 10);
  CHECK(summary["identical"] == true);
  const Json& plates = summary["models"]["plates"];
  CHECK(plates["every"] == 3);
  CHECK(plates["frames"] == 4);
  CHECK(plates["identical"] == true);
  uint64_t tiles = 0;
  for (const Json& count : plates["tiles_per_node"]) tiles += count.get<uint64_t>();
  CHECK(tiles > 0);
  CHECK(tiles % 4 == 0);  // the same plan for each frame
  size_t of_plates = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "raw"))
    of_plates += has(file.path().filename().string(), "-plates-") ? 1 : 0;
  CHECK(of_plates == 4);
}

TEST_CASE("two further models have rates of their own, and one may have the main one's file" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string model = model_in(folder), second = second_model_in(folder);
  Program program({"run", model, clip_in(folder, 9), "--model", "twin=" + model + ":2", "--model",
                   "rare=" + second + ":100", "--workers", "2", "--json", "--verify"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const Json summary = Json::parse(program.out_lines().back());
  CHECK(summary["frames"] == 9);
  CHECK(summary["models"]["twin"]["frames"] == 5);
  CHECK(summary["models"]["twin"]["identical"] == true);
  CHECK(summary["models"]["rare"]["frames"] == 1);
  CHECK(summary["models"]["rare"]["identical"] == true);
}

TEST_CASE("for people a further model's results stand under its name" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  Program program({"run", model, image_in(folder), "--model",
                   "plates=" + second_model_in(folder) + ":1", "--verify"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(has(program.out(), "image.png: "));
  CHECK(has(program.out(), "image.png [plates]: "));
  CHECK(has(program.out(), "plates: 1 frame, one in 1, identical to one machine: 1 of 1\n"));
}

TEST_CASE("a node that computes its own run has an executor for each model") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), second = second_model_in(folder);
  const auto ports = ReservedPorts::on_loopback(1);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("one.toml", cluster_text(ports->ports()));
  Program program({"run", model, clip_in(folder, 4), "--model", "plates=" + second + ":2",
                   "--cluster", cluster, "--id", "0", "--compute", "--insecure", "--json",
                   "--verify"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const Json summary = Json::parse(program.out_lines().back());
  CHECK(summary["frames"] == 4);
  CHECK(summary["identical"] == true);
  CHECK(summary["models"]["plates"]["frames"] == 2);
  CHECK(summary["models"]["plates"]["identical"] == true);
  CHECK(summary["models"]["plates"]["tiles_per_node"].size() == 1);
}

TEST_CASE("a deadline holds for each model, and each counts its late frames" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string model = model_in(folder), second = second_model_in(folder);
  const std::string clip = clip_in(folder, 4);
  const auto run = [&](const std::string& seconds) {
    return std::vector<std::string>{
        "run",        model,   clip,     "--model", "plates=" + second + ":2", "--workers", "2",
        "--deadline", seconds, "--json", "--verify"};
  };
  Program generous(run("100"));
  REQUIRE_MESSAGE(generous.end() == "exit code 0", generous.err());
  const Json summary = Json::parse(generous.out_lines().back());
  CHECK(summary["late"] == 0);
  CHECK(summary["models"]["plates"]["late"] == 0);
  CHECK(summary["models"]["plates"]["identical"] == true);
  Program strict(run("0.000001"));
  CHECK(strict.end() == "exit code 1");
  CHECK(has(strict.err(), "no frame met its deadline"));
  const Json late = Json::parse(strict.out_lines().back());
  CHECK(late["late"] == 4);
  CHECK(late["models"]["plates"]["late"] == 2);
}

TEST_CASE("nodes of a cluster serve all models of a run; one that lacks a model is told its file") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), second = second_model_in(folder);
  const auto ports = ReservedPorts::on_loopback(2);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("two.toml", cluster_text(ports->ports()));
  const std::string image = image_in(folder);
  const std::vector<std::string> run{
      "run",       model,     image,  "--model", "plates=" + second + ":1",
      "--cluster", cluster,   "--id", "1",       "--insecure",
      "--json",    "--verify"};
  {
    Program node(
        {"node", "--cluster", cluster, "--id", "0", "--models", folder.path(), "--insecure"});
    Program program(run);
    REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
    const Json summary = Json::parse(program.out_lines().back());
    CHECK(summary["identical"] == true);
    CHECK(summary["models"]["plates"]["identical"] == true);
    node.process().ask_to_stop();
    CHECK(node.end() == "exit code 0");
  }
  Program node({"node", "--cluster", cluster, "--id", "0", "--models", model, "--insecure"});
  Program lacking(run);
  check_refusal(lacking, "exit code 1", "model 'plates' (" + second + "): ");
  CHECK(has(lacking.err(), "no model with the hash"));
}

TEST_CASE("a further model of no fixed size is refused without the main model's --shape") {
  const ScratchFolder folder;
  networks::OnnxGraph graph;
  graph.open_input("x", {"n", "3", "h", "w"});
  const std::string mean = graph.node("GlobalAveragePool", {"x"});
  const std::string flat = graph.node("Flatten", {mean});
  graph.node("MatMul", {flat, graph.floats({3, 10}, std::vector<float>(30, 0.1F))}, {}, "out");
  graph.output("out", {});
  const std::string open = folder.with_text("open.onnx", graph.file());
  Program program({"run", model_in(folder), image_in(folder), "--model", "plates=" + open + ":2"});
  check_refusal(program, "exit code 3", "; export or compile it with a fixed size");
  CHECK_FALSE(has(program.err(), "--shape"));
}

TEST_CASE("a further model that is ill-written, missing or named twice ends a run at once") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), image = image_in(folder);
  Program ill({"run", model, image, "--model", "plates=" + model});
  CHECK(ill.end() == "exit code 2");
  CHECK(
      has(ill.err(), "write NAME=FILE:EVERY, such as plates=plates.onnx:5 for every fifth frame"));
  Program missing({"run", model, image, "--model", "plates=" + (folder / "none.onnx") + ":2"});
  check_refusal(missing, "exit code 3", "none.onnx");
  Program twice(
      {"run", model, image, "--model", "a=" + model + ":2", "--model", "a=" + model + ":3"});
  check_refusal(twice, "exit code 2", "two further models are called 'a'");
}

}  // namespace
