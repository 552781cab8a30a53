// How many boxes of a rendered flight the road's mask leaves out, before tracking.
//   bench-drone-road-layer CLIP.mp4 RUN      RUN: a run folder of `shingle-drone run --road`
// Only vehicles on true road count. It ignores other vehicles, vehicles that are hardly visible,
// and boxes on either. Prints figures of all boxes, and of the boxes that the mask kept:
//   {"vehicles":..,"found":..,"found_kept":..,"false":..,"false_kept":..}
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <sstream>

#include "apps/drone/boxes/mot_text.hpp"
#include "apps/drone/results/detections_csv.hpp"
#include "apps/scene/score.hpp"

namespace {

using namespace shingle;
using namespace shingle::drone;

constexpr double card_score = 0.3;     // from which models/flights.onnx shows boxes
constexpr double least_on_road = 0.5;  // of a vehicle's box
using Frames = std::map<uint32_t, std::vector<Wanted>>;

Box box_of(const PixelBox& box) { return {float(box.x), float(box.y), float(box.w), float(box.h)}; }

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) std::fprintf(stderr, "cannot read %s\n", path.c_str()), std::exit(1);
  return text.str();
}

std::vector<MotRow> rows_of(const std::string& path) {
  return read_mot(text_of(path), path).value();
}

bool is_on_road(const cv::Mat& road, const PixelBox& box) {
  const cv::Rect inside =
      cv::Rect(int(box.x), int(box.y), int(box.w) + 1, int(box.h) + 1) & cv::Rect({}, road.size());
  return inside.area() > 0 && cv::mean(road(inside))[0] >= 255.0 * least_on_road;
}

// What is to be found, by frame.
Frames truth_of(const std::string& clip) {
  Frames frames;
  std::map<uint32_t, cv::Mat> roads;
  for (const MotRow& row : rows_of(clip + ".gt.txt")) {
    cv::Mat& road = roads[row.frame];
    char name[32];
    std::snprintf(name, sizeof name, ".roads/%06u.png", row.frame - 1);
    if (road.empty()) road = cv::imread(clip + name, cv::IMREAD_GRAYSCALE);
    const bool counts = row.score == 1.0 && is_on_road(road, row.box);
    frames[row.frame].push_back({.box = box_of(row.box), .counts = counts});
  }
  for (const MotRow& row : rows_of(clip + ".ignore.txt"))
    frames[row.frame].push_back({.box = box_of(row.box), .counts = false});
  return frames;
}

Judgement judged(const Frames& truth, const std::vector<FoundInFrame>& all, bool keeps_all) {
  std::map<uint32_t, std::vector<Detection>> found;
  for (const FoundInFrame& each : all)
    if (each.found.box.score >= card_score && (keeps_all || each.found.is_on_road.value_or(true)))
      found[each.frame].push_back(
          {.class_id = 0, .score = float(each.found.box.score), .box = box_of(each.found.box.box)});
  Judgement judgement;
  Frames frames = truth;
  for (const auto& [frame, boxes] : found) frames.try_emplace(frame);
  for (const auto& [frame, wanted] : frames) judge(judgement, found[frame], wanted);
  return judgement;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "bench-drone-road-layer CLIP.mp4 RUN\n");
    return 2;
  }
  const std::string clip = argv[1], table = std::string(argv[2]) + "/detections.csv";
  const Frames truth = truth_of(clip.substr(0, clip.rfind('.')));
  const auto found = read_detections(text_of(table), table);
  if (!found) {
    std::fprintf(stderr, "%s\n", found.error().c_str());
    return 1;
  }
  const auto hits = [](const Judgement& each) {
    return std::ranges::count_if(each.shown, &Judgement::Shown::hit);
  };
  const Judgement all = judged(truth, *found, true), kept = judged(truth, *found, false);
  const auto shown = [](const Judgement& each) { return static_cast<long>(each.shown.size()); };
  std::printf(
      "{\"vehicles\":%lu,\"found\":%ld,\"found_kept\":%ld,\"false\":%ld,\"false_kept\":%ld}\n",
      static_cast<unsigned long>(all.wanted), hits(all), hits(kept), shown(all) - hits(all),
      shown(kept) - hits(kept));
  return 0;
}
