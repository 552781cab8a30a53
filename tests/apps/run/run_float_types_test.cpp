// `shingle model check` and `shingle run` of files of 16-bit floats and doubles.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/apps/verbs.hpp"
#include "tests/networks/float_types.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::FloatType;

namespace {

// The bytes of the only file in a folder.
std::string only_file_in(const std::string& folder) {
  const std::filesystem::directory_iterator files(folder);
  REQUIRE(std::distance(files, {}) == 1);
  return contents(std::filesystem::directory_iterator(folder)->path());
}

// What one picture makes of a model's file on two workers, equal to what one machine makes of it.
std::string raw_output(const ScratchFolder& folder, const std::string& name,
                       const std::string& file) {
  const std::string model = folder.with_text(name + ".onnx", file), raw = folder / name;
  Program check({"model", "check", model});
  CHECK_MESSAGE(check.end() == "exit code 0", check.err());
  Program run({"run", model, image_in(folder), "--workers", "2", "--verify", "--raw-out", raw});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  CHECK(has(run.out(), "identical to one machine: yes (1 of 1 frames)"));
  return only_file_in(raw);
}

}  // namespace

TEST_CASE("a file of 16-bit floats or doubles runs, with the bytes of its float32 twin" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string plain = networks::to_onnx(*networks::make("tiny"));
  const std::string exact = raw_output(folder, "plain", plain);
  for (const FloatType type : {FloatType::f16, FloatType::bf16, FloatType::f64}) {
    const std::string name = "stored" + std::to_string(static_cast<int>(type));
    CAPTURE(name);
    const std::string stored = networks::stored_as(plain, type);
    const std::string computed = raw_output(folder, name, stored);
    CHECK(computed == raw_output(folder, "twin_of_" + name, networks::twin(stored)));
    CHECK((computed == exact) == (type == FloatType::f64));
  }
}

TEST_CASE("a file of floats of 8 bits is refused with one sentence that names the type") {
  const ScratchFolder folder;
  networks::OnnxGraph graph;
  graph.input("in", {1, 3, 8, 8}, ElementType::f32);
  const std::string weights = graph.tensor({4, 3, 1, 1}, 17, std::string(12, '\0'));
  graph.node("Conv", {"in", weights}, {}, "out");
  graph.output("out", {});
  Program check({"model", "check", folder.with_text("float8.onnx", graph.file())});
  check_refusal(check, "exit code 3", "is of type float8e4m3fn, and shingle reads float, float16");
}
