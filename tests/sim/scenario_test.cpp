// Runs all files of tests/scenarios and compares each transcript with the one in the file, to the
// microsecond. SHINGLE_WRITE_SCENARIOS=1 writes the new transcripts into the files instead: read
// the difference before you commit it. sim/scenario.hpp lists the commands.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/scenario.hpp"
#include "tests/places.hpp"

namespace shingle::sim {
namespace {

std::vector<std::filesystem::path> scenario_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_folder() + "/tests/scenarios"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string_view expected_of(std::string_view file) { return file.substr(script_of(file).size()); }

TEST_CASE("every scenario goes as its transcript says") {
  const std::vector<std::filesystem::path> files = scenario_files();
  CHECK(files.size() >= 10);
  for (const std::filesystem::path& path : files) {
    CAPTURE(path.filename().string());
    const std::string file = contents_of(path);
    const Result<Transcript> run = run_scenario(file);
    if (!run) FAIL(run.error());
    CHECK(run->sound);
    if (std::getenv("SHINGLE_WRITE_SCENARIOS") != nullptr)
      std::ofstream(path) << script_of(file) << run->text;
    else
      CHECK_MESSAGE(run->text == expected_of(file), "expected:\n", std::string(expected_of(file)),
                    "happened:\n", run->text);
  }
}

TEST_CASE("a scenario run twice gives the same trace hash, and every line of its trace the same") {
  for (const std::filesystem::path& path : scenario_files()) {
    const std::string file = contents_of(path);
    const Result<Transcript> first = run_scenario(file), second = run_scenario(file);
    REQUIRE((first && second));
    CHECK(first->trace_hash == second->trace_hash);
    CHECK(first->text == second->text);
  }
}

TEST_CASE("a scenario that is not understood is refused with its line") {
  const auto error = [](const char* text) {
    const Result<Transcript> run = run_scenario(text);
    return run ? std::string("no error") : run.error();
  };
  CHECK(error("node 0\nfly to the moon\n") ==
        "Line 2 of the scenario is not understood: 'fly to the moon'.");
  CHECK(error("link latency 5 miles\n") ==
        "Line 1 of the scenario is not understood: 'link latency 5 miles'.");
  CHECK(error("node 0\n") == "The scenario has no model.");
  CHECK(error("model 16x16x1 conv3:4 what\n") ==
        "Line 1 of the scenario is not understood: 'model 16x16x1 conv3:4 what'.");
  CHECK(error("node 3\nmodel 4x4x1 pool2\nplan p homes 3\npropose 4 p at 0ms\n") ==
        "Line 4 of the scenario is not understood: 'propose 4 p at 0ms'.");
}

}  // namespace
}  // namespace shingle::sim
