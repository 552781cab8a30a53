// Flights on disk: names, files, and that the same seed gives the same bytes.
#include "apps/scene/flight/flight_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/scene/files.hpp"
#include "apps/scene/verb.hpp"
#include "tests/apps/scratch_folder.hpp"

namespace shingle {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

size_t lines_of(const std::string& path) {
  const std::string all = bytes_of(path);
  return static_cast<size_t>(std::count(all.begin(), all.end(), '\n'));
}

SceneClip small_clip() {
  SceneClip clip = clip_named("roundabout-70-60deg-straight", 11).value();
  clip.flight.size = {320, 180}, clip.flight.frames = 4;
  return clip;
}

constexpr const char* endings[] = {".mp4",           ".srt",         ".klv",
                                   ".gt.txt",        ".ignore.txt",  ".ground.csv",
                                   ".truth.csv",     ".camera.csv",  ".site.toml",
                                   ".crossings.csv", ".counts.json", ".roads/000003.png"};

TEST_CASE("A flight writes video, logs and truth, and the same bytes again") {
  const ScratchFolder folder;
  REQUIRE(write_flight(small_clip(), folder / "a.mp4").ok());
  REQUIRE(write_flight(small_clip(), folder / "b.mp4").ok());
  for (const char* ending : endings) {
    CAPTURE(ending);
    const std::string once = bytes_of(folder / (std::string("a") + ending));
    CHECK_FALSE(once.empty());
    CHECK(once == bytes_of(folder / (std::string("b") + ending)));
  }
  CHECK(lines_of(folder / "a.camera.csv") == 5);
  CHECK(lines_of(folder / "a.gt.txt") == lines_of(folder / "a.ground.csv") - 1);
  CHECK(read_truth(folder / "a.truth.csv").value().size() == lines_of(folder / "a.gt.txt"));
}

TEST_CASE("A name says place, altitude, size, pitch, light and path") {
  const SceneClip clip = clip_named("highway-120-4k-45deg-dusk-haze-turning", 3).value();
  CHECK(clip.kind == PlaceKind::highway);
  CHECK(clip.flight.altitude == 120);
  CHECK(clip.flight.size == cv::Size(3840, 2160));
  CHECK(clip.flight.pitch_degrees == 45);
  CHECK(clip.daylight == Daylight::dusk);
  CHECK(clip.haze > 0);
  CHECK(clip.flight.path == FlownPath::turning);
  const SceneClip usual = clip_named("local-50", 3).value();
  CHECK(usual.flight.size == cv::Size(1920, 1080));
  CHECK(usual.flight.pitch_degrees == 90);
  CHECK(usual.flight.frames == 60);
}

TEST_CASE("A name that is none is refused in one sentence") {
  const auto refusal = [](const char* name) {
    const auto clip = clip_named(name, 1);
    REQUIRE_FALSE(clip.ok());
    CHECK(clip.failure().kind == ErrorKind::usage);
    return clip.error();
  };
  CHECK(refusal("street-50").find("there is no place 'street'") != std::string::npos);
  CHECK(refusal("local").find("no altitude") != std::string::npos);
  CHECK(refusal("local-5").find("no altitude") != std::string::npos);
  CHECK(refusal("local-50-8k").find("'8k'") != std::string::npos);
  CHECK(refusal("local-50-95deg").find("'95deg'") != std::string::npos);
}

TEST_CASE("The verb refuses what cannot be seen, and writes drawn stills") {
  const ScratchFolder folder;
  SceneVerbOptions options{.out = folder / "clip.mp4", .scene = "local-50"};
  options.pitch = 20;
  CHECK(run_verb(options) == 2);
  options.scene = "local";
  CHECK(run_verb(options) == 2);
  options = {.out = folder / "stills", .scene = "local-50", .stills = 2};
  CHECK(run_verb(options) == 2);
  options.scene = "any", options.width = 200, options.height = 160;
  CHECK(run_verb(options) == 0);
  for (const char* name :
       {"000001.png", "000001.csv", "000001.camera.csv", "000001.road.png", "000002.png"})
    CHECK(std::filesystem::file_size(folder / (std::string("stills/") + name)) > 0);
}

}  // namespace
}  // namespace shingle
