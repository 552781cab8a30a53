// Real traffic of a hovering drone, looked at five times a second by a camera that drifts and
// turns: boxes of fast cars do not meet from frame to frame. Time and camera motion bring the
// tracks back.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "apps/drone/boxes/number_lines.hpp"
#include "apps/drone/score/counting.hpp"
#include "apps/drone/score/scores.hpp"
#include "apps/drone/track/byte_tracker.hpp"
#include "tests/drone/shared_data.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr int looked_at = 6;  // every sixth frame

// From the still picture to that of the camera in a frame.
Homography camera_in(int frame) {
  const double angle = 0.004 * frame;
  Homography camera = Homography::Identity();
  camera << std::cos(angle), -std::sin(angle), 4.0 * frame, std::sin(angle), std::cos(angle),
      -2.0 * frame, 0.0, 0.0, 1.0;
  return camera;
}

// Frames count from 1 in the order in which they are looked at. Columns of the file: frame, id,
// ..., then centre, width and height in the still picture from the seventh on.
std::vector<MotRow> truth_in(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto lines =
      read_number_lines(text, {.name = path, .least = 10, .read = 10, .meaning = "boxes"});
  REQUIRE(lines);
  std::vector<MotRow> rows;
  for (const NumberLine& line : *lines) {
    const auto& v = line.values;
    const int frame = static_cast<int>(v[0]);
    if (frame % looked_at != 0) continue;
    const PixelBox still{v[6] - v[8] / 2.0, v[7] - v[9] / 2.0, v[8], v[9]};
    rows.push_back({.frame = static_cast<uint32_t>(frame / looked_at) + 1,
                    .id = static_cast<int64_t>(v[1]),
                    .box = moved(still, camera_in(frame)),
                    .line = line.number});
  }
  return rows;
}

enum class Knows { nothing, time_and_boxes, time_and_motion };

double idf1_of(const std::vector<MotRow>& truth, Knows knows) {
  std::map<uint32_t, std::vector<DetectedBox>> frames;
  for (const MotRow& row : truth) frames[row.frame].push_back({row.box, 1.0, -1});
  ByteTracker tracker({.finds_camera_motion = knows == Knows::time_and_boxes});
  std::vector<MotRow> found;
  for (const auto& [frame, detections] : frames) {
    FrameStep step;
    if (knows != Knows::nothing && frame > 1) {
      const int now = static_cast<int>(frame - 1) * looked_at;
      step.steps = looked_at;
      if (knows == Knows::time_and_motion)
        step.camera_motion = camera_in(now) * camera_in(now - looked_at).inverse();
    }
    for (const TrackedBox& box : tracker.step(detections, step))
      found.push_back({.frame = frame, .id = box.id, .box = box.box});
  }
  const auto sequence =
      sequence_of({"truth", truth}, {"found", found}, {.frames = frames.rbegin()->first});
  REQUIRE(sequence);
  return figures_of(scores_of(*sequence).identity).f1;
}

}  // namespace

TEST_CASE("traffic is followed at five frames a second under a moving camera") {
  const auto folder = shared_data("geo-trax");
  if (!folder) return;
  const std::vector<MotRow> truth = truth_in(*folder + "/U_video_cut.txt");
  CHECK(idf1_of(truth, Knows::time_and_motion) > 0.97);
  CHECK(idf1_of(truth, Knows::time_and_boxes) > 0.90);
  CHECK(idf1_of(truth, Knows::nothing) < 0.6);
}
