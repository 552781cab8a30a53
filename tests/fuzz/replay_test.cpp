// Runs each target on all inputs in the repository, on every build and without a fuzzer.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tests/fuzz/target.hpp"
#include "tests/places.hpp"

namespace shingle::fuzz {
namespace {

std::vector<std::filesystem::path> corpus(std::string_view name) {
  const std::filesystem::path folder =
      std::filesystem::path(source_folder()) / "tests/fuzz/corpus" / name;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// A buffer of exactly the file's size, so that AddressSanitizer finds a read beyond its end.
std::vector<char> contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  bytes.shrink_to_fit();
  return bytes;
}

void replay(const Target& target) {
  const auto files = corpus(target.name);
  CHECK(files.size() >= 10);
  for (const auto& path : files) {
    INFO(path.string());
    const std::vector<char> bytes = contents(path);
    target.run(std::as_bytes(std::span(bytes)));
  }
}

TEST_CASE("the node takes every kept story") { replay({"node", node}); }
TEST_CASE("the wire's decoder takes every kept frame") { replay({"wire", wire}); }
TEST_CASE("the ONNX reader takes every kept file") { replay({"onnx", onnx}); }
TEST_CASE("the Darknet reader takes every kept pair of files") { replay({"darknet", darknet}); }
TEST_CASE("the readers of TOML take every kept text") { replay({"toml", toml}); }
TEST_CASE("the plan reader takes every kept text") { replay({"plan", plan}); }
TEST_CASE("the readers of keys take every kept text") { replay({"keys", keys}); }

TEST_CASE("the reader of compiled files takes every kept index") { replay({"compiled", compiled}); }

TEST_CASE("the readers of announcements take every kept text") {
  replay({"announcement", announcement});
}

TEST_CASE("the readers of flight logs take every kept log") { replay({"logs", logs}); }

TEST_CASE("the reader of inference requests takes every kept body") { replay({"v2", v2}); }

TEST_CASE("what serves Frigate takes every kept message") { replay({"frigate", frigate}); }

TEST_CASE("the kept inputs are small") {
  uintmax_t bytes = 0;
  for (const Target& target : targets)
    for (const auto& path : corpus(target.name)) bytes += std::filesystem::file_size(path);
  CHECK(bytes < 400'000);
}

}  // namespace
}  // namespace shingle::fuzz
