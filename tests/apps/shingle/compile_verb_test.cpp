// shingle compile: a model made ready ahead of time computes what the model itself does.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/models/compiled_model.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/darknet.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

std::string front_in(const ScratchFolder& folder) {
  return folder.with_text("front.onnx",
                          networks::to_onnx(networks::make("yolov2_front", 96).value()));
}

std::string darknet_in(const ScratchFolder& folder) {
  const networks::DarknetFiles files = networks::make_darknet("yolov3_tiny", 96).value();
  folder.with_text("tiny.weights", files.weights);
  return folder.with_text("tiny.cfg", files.cfg);
}

Json compiled(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compile");
  arguments.push_back("--json");
  Program program(arguments);
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  return Json::parse(program.out());
}

}  // namespace

TEST_CASE("a compiled model computes the model's bits without the model's weights") {
  const ScratchFolder folder;
  std::string model;
  SUBCASE("an ONNX file") { model = front_in(folder); }
  SUBCASE("Darknet's files, with weights that normalisation is folded into") {
    model = darknet_in(folder);
  }
  const std::string out = folder / "ready.shingle";
  const Json told = compiled({model, "--nodes", "1", "-o", out, "--head", "raw"});
  CHECK(told["layers_packed"].get<int>() >= 4);
  CHECK(told["packed_bytes"].get<int64_t>() > 4 * told["kept_bytes"].get<int64_t>());
  const auto itself = open_model(model);
  const auto again = open_model(out);
  REQUIRE_MESSAGE(again.ok(), again.error());
  CHECK(again->model.hash == itself->model.hash);
  CHECK(again->detections.size() == itself->detections.size());
  FileHashes none;
  const auto hash = hash_of_model(out, none);
  REQUIRE(hash.ok());
  CHECK(*hash == itself->model.hash);
}

TEST_CASE("frames of a compiled model come out the same, by its plan, on nodes that have no other" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  std::string model;
  SUBCASE("an ONNX file") { model = front_in(folder); }
  SUBCASE("Darknet's files") { model = darknet_in(folder); }
  const std::string out = folder / "ready.shingle", image = image_in(folder);
  const Json told = compiled({model, "--nodes", "2", "-o", out, "--head", "raw"});
  Program first(
      {"run", model, image, "--workers", "2", "--head", "raw", "--raw-out", folder / "first"});
  Program second({"run", out, image, "--workers", "2", "--head", "raw", "--raw-out",
                  folder / "second", "--verify", "--json"});
  REQUIRE_MESSAGE(first.end() == "exit code 0", first.err());
  REQUIRE_MESSAGE(second.end() == "exit code 0", second.err());
  CHECK(Json::parse(second.out_lines().back())["identical"] == true);
  size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "first")) {
    CHECK(contents(entry.path().string()) ==
          contents((folder / "second") + "/" + entry.path().filename().string()));
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("what needs weights that a compiled model left out is refused with a sentence") {
  const ScratchFolder folder;
  const std::string model = front_in(folder), out = folder / "ready.shingle";
  compiled({model, "-o", out, "--head", "raw"});
  SUBCASE("another executor") {
    Program run({"run", out, image_in(folder), "--workers", "1", "--head", "raw", "--executor",
                 "reference"});
    CHECK(run.end() == "exit code 1");
    CHECK(has(run.err(), "has no weights here"));
  }
  SUBCASE("a model that is compiled already") {
    Program again({"compile", out, "-o", folder / "twice.shingle"});
    check_refusal(again, "exit code 2", "is compiled already");
  }
  SUBCASE("other numbers for its pictures than it was compiled for") {
    Program run({"run", out, image_in(folder), "--workers", "1", "--head", "raw", "--std", "3"});
    CHECK(run.end() == "exit code 3");
    CHECK_MESSAGE(has(run.err(), "does not fit: the plan was made for another model"), run.err());
  }
}

TEST_CASE("packed weights that are damaged are not computed with") {
  const ScratchFolder folder;
  const std::string model = front_in(folder), out = folder / "ready.shingle";
  compiled({model, "-o", out, "--head", "raw"});
  {
    std::fstream file(out, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-2000, std::ios::end);
    const char byte = static_cast<char>(file.get());
    file.seekp(-2000, std::ios::end);
    file.put(static_cast<char>(byte ^ 1));
  }
  Program run({"run", out, image_in(folder), "--workers", "1", "--head", "raw"});
  CHECK(run.end() == "exit code 1");
  CHECK(has(run.err(), "has no weights here"));
}

TEST_CASE("a file for other kernels is refused where it is opened, both named") {
  const ScratchFolder folder;
  const std::string path = folder / "foreign.shingle";
  const CompiledContents contents{.model = sha256("model"),
                                  .plan = sha256("plan"),
                                  .kernels = "kernels of the moon",
                                  .file_bytes = {100, 0},
                                  .kept = {},
                                  .plan_text = "a plan",
                                  .memory_text = "",
                                  .packed = {}};
  REQUIRE(write_compiled(path, contents).ok());
  const auto files = compiled_among({folder / "absent", path});
  REQUIRE_FALSE(files.ok());
  CHECK(has(files.error(), "kernels of the moon"));
  CHECK(has(files.error(), "compile it on this machine"));
}
