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

// A line of `shingle run --json`; none when it is something else, or of a further model.
std::optional<FrameBoxes> read_boxes(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("frame") || !json.contains("boxes") ||
      json.contains("model"))
    return std::nullopt;
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
