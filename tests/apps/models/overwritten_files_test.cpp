// Files that somebody writes over or truncates under a run of real processes: each frame that is
// delivered has the bits of one of the files that were there, or the run ends with a sentence.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/apps/verbs.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

std::string front_of_seed(uint64_t seed) {
  return networks::to_onnx(networks::make("yolov2_front", 96, seed).value());
}

// Writes into the file itself, as `cp` does: processes that mapped it see each byte at once.
void write_over(const std::string& path, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  REQUIRE(file.good());
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void halve(const std::string& path) {
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
}

void compile(const std::string& model, const std::string& out) {
  Program program({"compile", model, "--nodes", "2", "-o", out, "--head", "raw"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
}

// What a run wrote, by file name: one file for each frame and output.
std::map<std::string, std::string> raw_outputs(const std::string& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    all[entry.path().filename().string()] = contents(entry.path().string());
  return all;
}

// Two runs of one clip on two workers: of files that stay, and of files that `change` touches once
// some frames are done.
struct ChangedUnderWay {
  template <class Change>
  ChangedUnderWay(const std::string& model, const ScratchFolder& folder, Change change) {
    const std::string clip = clip_in(folder, frames);
    const auto into = [&](const char* name) {
      return std::vector<std::string>{"run",           model,    clip,  "--workers", "2",
                                      "--json",        "--head", "raw", "--raw-out", folder / name,
                                      "--slow-worker", "0:4"};
    };
    Program untouched(into("untouched"));
    REQUIRE_MESSAGE(untouched.end() == "exit code 0", untouched.err());
    Program program(into("changed"));
    REQUIRE(becomes_true([&] { return program.out_lines().size() >= 5; }));
    change();
    exit = program.end();
    sentence = program.err();
    delivered = Json::parse(program.out_lines().back())["frames"];
    const auto sound = raw_outputs(folder / "untouched");
    for (const auto& [name, bytes] : raw_outputs(folder / "changed")) {
      CAPTURE(name);
      CHECK(sound.at(name) == bytes);
    }
  }
  static constexpr int frames = 60;
  std::string exit, sentence;
  int delivered = 0;
};

}  // namespace

TEST_CASE("a model that is written over or cut under a run costs it no frame that was packed for" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string model = folder.with_text("front.onnx", front_of_seed(1));
  const std::string other = front_of_seed(2);
  bool cut = false;
  SUBCASE("written over") {}
  SUBCASE("cut") { cut = true; }
  const ChangedUnderWay run(model, folder, [&] { cut ? halve(model) : write_over(model, other); });
  CHECK_MESSAGE(run.exit == "exit code 0", run.sentence);
  CHECK(run.delivered == ChangedUnderWay::frames);
}

TEST_CASE("a compiled model that changes under a run ends it with the file's name" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string ready = folder / "ready.shingle";
  compile(folder.with_text("front.onnx", front_of_seed(1)), ready);
  bool cut = false;
  SUBCASE("written over") {}
  SUBCASE("cut") { cut = true; }
  const std::string zeros(std::filesystem::file_size(ready) / 2, '\0');
  const ChangedUnderWay run(ready, folder, [&] { cut ? halve(ready) : write_over(ready, zeros); });
  CHECK(run.exit == "exit code 1");
  CHECK_MESSAGE(has(run.sentence, "ready.shingle"), run.sentence);
  CHECK(run.delivered >= 4);
  CHECK(run.delivered < ChangedUnderWay::frames);
}

TEST_CASE(
    "a model that is written over again and again while nodes read and pack it mixes no bits" *
    doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::array<std::string, 2> bytes{front_of_seed(1), front_of_seed(2)};
  REQUIRE(bytes[0].size() == bytes[1].size());
  const std::string model = folder.with_text("front.onnx", bytes[0]), image = image_in(folder);
  const auto run_into = [&](const std::string& out) {
    return std::vector<std::string>{"run",    model, image,       "--workers", "2",
                                    "--head", "raw", "--raw-out", out};
  };
  std::set<std::map<std::string, std::string>> sound;
  for (const std::string& each : bytes) {
    write_over(model, each);
    const std::string out = folder / ("alone" + std::to_string(sound.size()));
    Program alone(run_into(out));
    REQUIRE_MESSAGE(alone.end() == "exit code 0", alone.err());
    sound.insert(raw_outputs(out));
  }
  REQUIRE(sound.size() == 2);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    const std::string out = folder / ("round" + std::to_string(round));
    Program program(run_into(out));
    // Then it is left in peace, from another moment on in each round.
    for (int writes = 0; writes < 40 * round && is_alive(program.process().id()); ++writes)
      write_over(model, bytes[static_cast<size_t>(writes % 2)]);
    const std::string exit = program.end();
    if (exit == "exit code 0") {
      CHECK(sound.contains(raw_outputs(out)));
    } else {
      CHECK((exit == "exit code 1" || exit == "exit code 3"));  // under way, or at its opening
      CHECK_MESSAGE(has(program.err(), "front.onnx"), program.err());
    }
  }
}
