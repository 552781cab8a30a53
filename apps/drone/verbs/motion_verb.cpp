#include "apps/drone/verbs/motion_verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "apps/drone/verbs/input_file.hpp"
#include "apps/drone/verbs/video_pictures.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/write_file.hpp"

namespace shingle::drone {
namespace {

using BoxesByFrame = std::map<uint32_t, std::vector<PixelBox>>;

struct Found {
  std::string text{};
  uint64_t pictures = 0, unknown = 0, key_frames = 0, chains = 0;
  std::vector<double> agreeing{};  // share of points, of each known motion
};

Result<BoxesByFrame> read_vehicles(const std::string& path) {
  BoxesByFrame boxes;
  if (path.empty()) return boxes;
  const auto rows = read_boxes(path);
  if (!rows) return rows.failure();
  for (const MotRow& row : *rows) boxes[row.frame].push_back(row.box);
  return boxes;
}

std::string line_of(uint32_t frame, const std::string& between, const Homography& matrix) {
  std::string line = std::to_string(frame) + between;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      std::array<char, 32> number{};
      std::snprintf(number.data(), number.size(), ",%.9g", matrix(row, column));
      line += number.data();
    }
  return line + "\n";
}

void add(Found& found, uint32_t frame, const PictureMotion& motion, bool to_first) {
  ++found.pictures;
  if (motion.is_key) ++found.key_frames;
  if (motion.is_key && motion.first + 1 == frame) ++found.chains;
  const bool is_first = frame == 1;
  const std::optional<Homography>& known = to_first ? motion.to_first : motion.from_previous;
  if (!known) {
    if (to_first || !is_first) ++found.unknown;
    return;
  }
  const std::string chain = to_first ? "," + std::to_string(motion.first + 1) : "";
  found.text += line_of(frame, chain, *known);
  if (motion.points > 0)
    found.agreeing.push_back(static_cast<double>(motion.agreeing) /
                             static_cast<double>(motion.points));
}

Result<Found> find_motion(VideoPictures& video, const BoxesByFrame& boxes, bool to_first) {
  static const auto& no_boxes = *new std::vector<PixelBox>;
  Found found;
  Progress progress(video.expected(), stderr_is_terminal(), "pictures");
  for (;;) {
    const auto vehicles = boxes.find(video.frame() + 1);
    const auto more = video.next(vehicles == boxes.end() ? no_boxes : vehicles->second);
    if (!more) return more.failure();
    if (!*more) return found;
    add(found, video.frame(), video.motion(), to_first);
    progress.done(found.pictures);
  }
}

std::string summary_json(const Found& found) {
  nlohmann::ordered_json summary{{"pictures", found.pictures},
                                 {"unknown", found.unknown},
                                 {"key_frames", found.key_frames},
                                 {"chains", found.chains},
                                 {"agreeing", nullptr}};
  if (!found.agreeing.empty()) {
    std::vector<double> shares = found.agreeing;
    const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
    std::nth_element(shares.begin(), middle, shares.end());
    summary["agreeing"] = *middle;
  }
  return summary.dump() + "\n";
}

}  // namespace

void describe(CLI::App& verb, MotionVerbOptions& options) {
  verb.add_option("VIDEO", options.video, "a video file, or a folder of images")
      ->type_name("")
      ->required();
  verb.add_option("--boxes", options.boxes,
                  "boxes of vehicles, on which no points are taken: MOTChallenge text, or what "
                  "'shingle run --json' printed")
      ->type_name("FILE");
  verb.add_option("-o,--out", options.out, "the motions (default: stdout)")->type_name("FILE");
  verb.add_flag("--to-first", options.to_first,
                "where each picture lies in the first one of its chain: frame, the chain's first "
                "frame, 9 numbers; not the motion since the picture before");
  verb.add_flag("--json", options.json, "a summary as one JSON object on stdout; needs -o");
  verb.footer(
      "\nA line has a frame and the 9 numbers of a 3x3 matrix that brings pixels of the picture\n"
      "before to pixels of this one. Pictures whose motion is unknown have no line.\n"
      "\nExamples:\n"
      "  shingle-drone motion flight.mp4 -o motion.csv --json\n"
      "  shingle-drone motion flight.mp4 --boxes boxes.jsonl -o motion.csv\n"
      "  shingle-drone track boxes.jsonl --fps 30 --camera-motion motion.csv -o tracks.txt");
}

int run_verb(const MotionVerbOptions& options) {
  if (options.json && options.out.empty())
    return fail(Exit::usage, "--json needs -o FILE: the motions would stand in front of it");
  const auto boxes = read_vehicles(options.boxes);
  if (!boxes) return fail(boxes.failure());
  auto video = VideoPictures::open(options.video);
  if (!video) return fail(video.failure());
  const auto found = find_motion(*video, *boxes, options.to_first);
  if (!found) return fail(found.failure());
  if (options.out.empty()) return print(found->text);
  if (const Status saved = write_file(options.out, std::as_bytes(std::span(found->text))); !saved)
    return fail(saved.failure());
  return options.json ? print(summary_json(*found)) : static_cast<int>(Exit::ok);
}

}  // namespace shingle::drone
