// `shingle-drone run` with slices, at a pace, and with too much to do: real workers, rendered
// flights.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "apps/drone/results/run_reader.hpp"
#include "apps/scene/files.hpp"
#include "tests/drone/verbs/drone_program.hpp"
#include "tests/networks/networks.hpp"
#include "tests/places.hpp"

using namespace shingle;
using namespace shingle::drone;
using Json = nlohmann::json;

namespace {

std::string vehicles() { return source_folder() + "/models/vehicles.onnx"; }

std::string rendered(const ScratchFolder& folder, cv::Size size, uint32_t frames, double rate) {
  const std::string path = folder / "flight.mp4";
  REQUIRE(write_clip({.seed = 2027, .size = size, .frames_per_second = rate}, frames, path));
  return path;
}

struct Ran {
  Json summary;
  std::string frames;
  size_t sightings = 0;
};

Ran run_clip(const std::string& clip, const std::vector<std::string>& more) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  std::vector<std::string> words{"run", vehicles(), clip, "--run", run, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  Program program = drone_program(words);
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const auto read = read_run(run);
  REQUIRE_MESSAGE(read, read.error());
  return {Json::parse(program.out_lines().back()), contents(run + "/frames.csv"),
          read->sightings.size()};
}

}  // namespace

TEST_CASE("slices find what the whole picture does not, the same by one worker and by three" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string clip = rendered(folder, {1600, 960}, 30, 25.0);
  const Ran one = run_clip(clip, {"--workers", "1"});
  const Ran three = run_clip(clip, {"--workers", "3", "--slow-worker", "1:3"});
  CHECK(one.frames == three.frames);
  CHECK(one.summary["slices"] == three.summary["slices"]);
  const Json slices = one.summary["slices"];
  CHECK(slices["computed"] > 60);  // and of the first picture all
  CHECK(slices["share"] < 0.7);
  const Ran whole = run_clip(clip, {"--slices", "off"});
  CHECK_FALSE(whole.summary.contains("slices"));
  CHECK(one.sightings > whole.sightings);
}

TEST_CASE("plans far ahead give the same tracks by any workers, and others than plans close by" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string clip = rendered(folder, {1600, 960}, 20, 25.0);
  const std::vector<std::string> far = {"--open", "12", "--plan-ahead", "0.4"};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Ran one = run_clip(clip, with({"--workers", "1"}, far));
  const Ran three = run_clip(clip, with({"--workers", "3", "--slow-worker", "1:3"}, far));
  CHECK(one.frames == three.frames);
  const Ran close = run_clip(clip, {"--workers", "1", "--open", "12", "--plan-ahead", "0"});
  CHECK(close.frames != one.frames);
}

TEST_CASE("raw outputs and the comparison with one machine know slices") {
  const ScratchFolder folder;
  const std::string clip = rendered(folder, {960, 576}, 2, 25.0);
  const Ran ran = run_clip(clip, {"--workers", "2", "--slices", "2", "--scale", "0.12", "--verify",
                                  "--raw-out", folder / "raw"});
  CHECK(ran.summary["identical"] == true);
  CHECK(ran.summary["frames"] == 2);
  CHECK(std::filesystem::exists(folder / "raw/frame-000000.1-rows.f32"));
  CHECK(std::filesystem::exists(folder / "raw/frame-000000.2-rows.f32"));
}

TEST_CASE("a file at its own pace takes its time, and says how late results were") {
  const ScratchFolder folder;
  const std::string clip = rendered(folder, {320, 192}, 8, 5.0);
  const auto since = std::chrono::steady_clock::now();
  const Ran ran = run_clip(clip, {"--workers", "1", "--paced", "--slices", "off"});
  CHECK(std::chrono::steady_clock::now() - since >= std::chrono::milliseconds(1400));
  CHECK(ran.summary["frames"] == 8);
  CHECK(ran.summary["latency_ms"]["median"] > 0.0);
  CHECK(ran.summary["latency_ms"]["p95"] >= ran.summary["latency_ms"]["median"]);
}

TEST_CASE("a source that is too fast costs slices and pictures, which are counted") {
  const ScratchFolder folder;
  const std::string clip = rendered(folder, {960, 576}, 75, 25.0);
  const Ran ran = run_clip(clip, {"--workers", "1", "--slow-worker", "0:4", "--paced", "--shed"});
  const Json shed = ran.summary["shed"];
  CHECK(shed["level"] == 4);    // three of slices, then pictures; there are no masks
  CHECK(shed["pictures"] > 5);  // how many depends on the machine
  CHECK(shed["masks"] == 0);
  CHECK(ran.summary["frames"].get<int>() + shed["pictures"].get<int>() == 75);
}

TEST_CASE("slices and pace are refused where they make no sense, with one sentence") {
  const ScratchFolder folder;
  const std::string clip = rendered(folder, {320, 192}, 2, 25.0);
  check_refusal({"run", vehicles(), clip, "--json", "--slices", "some"}, "exit code 2",
                "neither auto, off nor a number");
  check_refusal({"run", vehicles(), clip, "--json", "--shed"}, "exit code 2", "--paced");
  check_refusal({"run", vehicles(), clip, "--json", "--plan-ahead", "2"}, "exit code 2",
                "--plan-ahead");
  const std::string model =
      folder.with_text("small.onnx", networks::to_onnx(networks::make("tiny", 16, 2).value()));
  check_refusal({"run", model, clip, "--json", "--classes", "0", "--slices", "auto"}, "exit code 2",
                "give --scale");
  check_refusal({"run", model, clip, "--json", "--classes", "0", "--scale", "0.1"}, "exit code 2",
                "too small for slices");
}
