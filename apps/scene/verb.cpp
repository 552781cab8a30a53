#include "apps/scene/verb.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/scene/score.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"

namespace shingle {
namespace {

struct FrameBoxes {
  uint32_t frame = 0;
  std::vector<Detection> found{};
};

// A line of `shingle run --json`; none when it is something else.
std::optional<FrameBoxes> read_boxes(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("frame") || !json.contains("boxes")) return std::nullopt;
  try {
    FrameBoxes read{.frame = json.at("frame").get<uint32_t>()};
    for (const auto& box : json.at("boxes"))
      read.found.push_back({.class_id = box.at("class").get<int>(),
                            .score = box.at("score").get<float>(),
                            .box = {box.at("x").get<float>(), box.at("y").get<float>(),
                                    box.at("w").get<float>(), box.at("h").get<float>()}});
    return read;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

struct Scored {
  Judgement judgement;
  uint64_t frames = 0;
};

Result<Scored> score(const ScoreOptions& options) {
  const auto truth = read_truth(options.truth);
  if (!truth) return Error{truth.error()};
  std::ifstream file(options.boxes);
  if (!file) return Error{"cannot open '" + options.boxes + "'"};
  Scored scored;
  for (std::string line; std::getline(file, line);) {
    auto boxes = read_boxes(line);
    if (!boxes) continue;  // the summary at the end, or whatever else was printed
    std::stable_sort(boxes->found.begin(), boxes->found.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    judge(scored.judgement, boxes->found, wanted_of(*truth, boxes->frame));
    ++scored.frames;
  }
  if (scored.frames == 0)
    return Error{"'" + options.boxes + "' has no line of 'shingle run --json' with boxes"};
  return scored;
}

std::string text_of(const Scored& scored, const ScoreOptions& options) {
  const RecallPrecision at = at_score(scored.judgement, options.min_score);
  const double area = average_precision(scored.judgement);
  const auto frames = static_cast<unsigned long long>(scored.frames);
  const auto vehicles = static_cast<unsigned long long>(scored.judgement.wanted);
  char text[256];
  std::snprintf(text, sizeof text,
                options.json
                    ? "{\"frames\":%llu,\"vehicles\":%llu,\"recall\":%.4f,"
                      "\"precision\":%.4f,\"ap50\":%.4f}\n"
                    : "frames %llu, vehicles %llu: recall %.3f, precision %.3f, AP50 %.3f\n",
                frames, vehicles, at.recall, at.precision, area);
  return text;
}

}  // namespace

void describe(CLI::App& verb, SceneVerbOptions& options) {
  verb.add_option("OUT", options.out, "the video to write; with --stills a folder")->required();
  verb.add_option("--seed", options.seed,
                  "seed of the place, its traffic and the camera's path (default: 1)");
  verb.add_option("--frames", options.frames, "frames of the clip (default: 250)")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--stills", options.stills, "write this many stills of different places instead")
      ->check(CLI::Range(1, 1000000));
  verb.add_option("--width", options.width, "width in pixels (default: 640)")
      ->check(CLI::Range(64, 4096));
  verb.add_option("--height", options.height, "height in pixels (default: 384)")
      ->check(CLI::Range(64, 4096));
  verb.add_option("--fps", options.frames_per_second, "frames per second (default: 25)")
      ->check(CLI::Range(1.0, 240.0));
  verb.add_option("--metres-per-pixel", options.metres_per_pixel,
                  "metres on the ground for each pixel (default: 0.12)")
      ->check(CLI::Range(0.03, 0.5));
  verb.add_option("--altitude", options.altitude, "altitude of the camera in metres (default: 120)")
      ->check(CLI::Range(30.0, 5000.0));
  verb.footer(
      "\nExamples:\n"
      "  shingle scene street.mp4 --seed 7        also street.truth.csv, street.camera.csv, "
      "street.roads/\n"
      "  shingle scene stills --stills 100        training pictures, PNG and CSV");
}

int run_verb(const SceneVerbOptions& options) {
  const SceneOptions scene{.seed = options.seed,
                           .size = {options.width, options.height},
                           .frames_per_second = options.frames_per_second,
                           .metres_per_pixel = options.metres_per_pixel,
                           .altitude = options.altitude};
  const Status done = options.stills > 0
                          ? write_stills(scene, {.count = options.stills}, options.out)
                          : write_clip(scene, options.frames, options.out);
  return done ? static_cast<int>(Exit::ok) : fail(Exit::runtime, done.error());
}

void describe(CLI::App& verb, ScoreOptions& options) {
  verb.add_option("BOXES", options.boxes, "what 'shingle run --json' printed")->required();
  verb.add_option("TRUTH", options.truth, "the clip's .truth.csv")->required();
  verb.add_option("--min-score", options.min_score,
                  "minimum score of the boxes that count (default: 0.3)")
      ->check(CLI::Range(0.0, 1.0));
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer(
      "\nExamples:\n"
      "  shingle run models/vehicles.onnx street.mp4 --json > boxes.jsonl\n"
      "  shingle score boxes.jsonl street.truth.csv");
}

int run_verb(const ScoreOptions& options) {
  const auto scored = score(options);
  if (!scored) return fail(Exit::bad_input, scored.error());
  return print(text_of(*scored, options));
}

}  // namespace shingle
