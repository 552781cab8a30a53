// `shingle-drone motion`, and `track` with pictures: real programs on painted videos.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "apps/drone/verbs/frame_files.hpp"
#include "tests/drone/motion/painted_world.hpp"
#include "tests/drone/verbs/drone_program.hpp"

using namespace shingle;
using namespace shingle::drone;
using Json = nlohmann::json;

namespace {

const cv::Size size{640, 480};

Homography camera(int picture) {
  return camera_at(700.0 + 9.0 * picture, 800.0 - 4.0 * picture, 0.004 * picture, 1.0, 0.0, size);
}

std::string image_name(int picture) {
  return std::string(picture < 10 ? "0" : "") + std::to_string(picture) + ".png";
}

// A car in the middle of the picture, which is as fast as the camera. Frames count from 1.
constexpr PixelBox car{300, 220, 40, 60};

void draw_flight(const ScratchFolder& folder, int pictures) {
  const cv::Mat ground = painted_ground(31), paint = painted_ground(32);
  for (int i = 0; i < pictures; ++i) {
    cv::Mat picture = picture_of(ground, camera(i), size);
    paint(cv::Rect(600, 600, 40, 60)).copyTo(picture(cv::Rect(300, 220, 40, 60)));
    REQUIRE(cv::imwrite(folder / image_name(i), picture));
  }
}

std::string line_of(int frame, const PixelBox& box) {
  std::string line = std::to_string(frame) + ",-1";
  for (const double value : {box.x, box.y, box.w, box.h, 0.9}) line += "," + std::to_string(value);
  return line + ",-1,-1,-1\n";
}

}  // namespace

TEST_CASE("motion writes what track reads") {
  const ScratchFolder pictures, folder;
  draw_flight(pictures, 12);
  Program program =
      drone_program({"motion", pictures.path(), "-o", folder / "motion.csv", "--json"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const Json summary = Json::parse(program.out());
  CHECK(summary["pictures"] == 12);
  CHECK(summary["unknown"] == 0);
  CHECK(summary["chains"] == 1);
  CHECK(summary["agreeing"].get<double>() > 0.8);
  const auto motions = read_camera_motion(folder / "motion.csv");
  REQUIRE_MESSAGE(motions, motions.error());
  REQUIRE(motions->size() == 11);  // the first picture has none before it
  for (const auto& [frame, motion] : *motions) {
    const int now = static_cast<int>(frame) - 1;
    CHECK(largest_difference(motion, camera(now) * inverse_of(camera(now - 1)), size) < 0.6);
  }
}

TEST_CASE("with --to-first each picture has its place in the first one") {
  const ScratchFolder pictures;
  draw_flight(pictures, 6);
  Program program = drone_program({"motion", pictures.path(), "--to-first"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const auto lines = program.out_lines();
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] == "1,1,1,0,0,0,1,0,0,0,1");
  CHECK(lines[5].starts_with("6,1,"));
}

TEST_CASE("track follows a missed vehicle by its points") {
  const ScratchFolder pictures, folder;
  draw_flight(pictures, 14);
  std::string boxes;
  for (const int frame : {1, 2, 3, 4, 5, 12, 13, 14}) boxes += line_of(frame, car);
  const std::string file = folder.with_text("boxes.txt", boxes);
  const auto tracked = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"track", file, "--fps", "30", "-o", folder / "tracks.txt",
                                   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    Program program = drone_program(words);
    REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
    return Json::parse(program.out());
  };
  CHECK(tracked({})["boxes"] == 8);
  const Json by_flow = tracked({"--video", pictures.path(), "--flow"});
  CHECK(by_flow["boxes"] == 14);
  CHECK(by_flow["recovered"] == 6);
  CHECK(by_flow["tracks"] == 1);
}

TEST_CASE("what motion and track cannot use is refused with one sentence") {
  const ScratchFolder pictures, folder;
  draw_flight(pictures, 2);
  const std::string boxes = folder.with_text("boxes.txt", line_of(1, car) + line_of(5, car));
  check_refusal({"motion", "nowhere.mp4"}, "exit code 3", "nowhere.mp4");
  check_refusal({"motion", pictures.path(), "--json"}, "exit code 2", "--json needs -o");
  check_refusal({"motion", pictures.path(), "--boxes", "none.txt"}, "exit code 3", "none.txt");
  check_refusal({"track", boxes, "--fps", "30", "--video", pictures.path()}, "exit code 3",
                "ends after 2 pictures, before frame 3");
  check_refusal({"track", boxes, "--fps", "30", "--flow"}, "exit code 2", "--video");
}
