// ByteTrack to the letter: the tracks that the authors' program made of 314 frames of detections.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/drone/track/byte_tracker.hpp"
#include "tests/drone/shared_data.hpp"

using namespace shingle::drone;

namespace {

using Frames = std::map<int, std::vector<DetectedBox>>;

double number(const nlohmann::json& object, const char* key) {
  return std::stod(object.at(key).get<std::string>());
}

Frames detections_of(const std::string& path) {
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file);
  Frames frames;
  for (const auto& each : json.at("results"))
    frames[std::stoi(each.at("frame_id").get<std::string>())].push_back(
        {.box = {number(each, "x"), number(each, "y"), number(each, "width"),
                 number(each, "height")},
         .score = number(each, "prob")});
  return frames;
}

struct Row {
  int frame = 0;
  int64_t id = 0;
  PixelBox box;
};

std::vector<Row> rows_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // the heading
  std::vector<Row> rows;
  for (Row row; std::getline(file, line); rows.push_back(row)) {
    std::istringstream fields(line);
    char comma = 0;
    fields >> row.frame >> comma >> row.id >> comma >> row.box.x >> comma >> row.box.y >> comma >>
        row.box.w >> comma >> row.box.h;
    REQUIRE(fields);
  }
  return rows;
}

bool is_near(const PixelBox& a, const PixelBox& b) {
  return std::abs(a.x - b.x) <= 0.01 && std::abs(a.y - b.y) <= 0.01 &&
         std::abs(a.w - b.w) <= 0.01 && std::abs(a.h - b.h) <= 0.01;
}

// How many of the wanted rows are there, with their ids.
size_t equal_rows(const std::string& folder, const char* file, const ByteTrackOptions& options) {
  const std::vector<Row> wanted = rows_of(folder + "/" + file);
  std::map<std::pair<int, int64_t>, PixelBox> made;
  ByteTracker tracker(options);
  const Frames frames = detections_of(folder + "/detection_results.json");
  for (int frame = 0; frame <= frames.rbegin()->first; ++frame) {
    const auto found = frames.find(frame);
    const std::vector<DetectedBox> none;
    for (const TrackedBox& box : tracker.step(found == frames.end() ? none : found->second))
      made[{frame, box.id}] = box.box;
  }
  CHECK(made.size() == wanted.size());
  size_t equal = 0;
  for (const Row& row : wanted) {
    const auto found = made.find({row.frame, row.id});
    equal += found != made.end() && is_near(found->second, row.box);
  }
  return equal;
}

}  // namespace

TEST_CASE("tracks equal those of ByteTrack's authors, row by row") {
  const auto folder = shared_data("bytetrack");
  if (!folder) return;
  CHECK(equal_rows(*folder, "palace_official_fuse_t0.5.csv", {}) == 5961);
  CHECK(equal_rows(*folder, "palace_official_nofuse_t0.5.csv", {.fuse_scores = false}) == 5965);
  CHECK(equal_rows(*folder, "palace_official_fuse_t0.6.csv", {.high_score = 0.6}) == 5539);
}
