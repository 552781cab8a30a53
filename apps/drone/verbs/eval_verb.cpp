#include "apps/drone/verbs/eval_verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/drone/score/counting.hpp"
#include "apps/drone/verbs/eval_pairs.hpp"
#include "apps/drone/verbs/eval_report.hpp"
#include "apps/drone/verbs/input_file.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"

namespace shingle::drone {
namespace {

Benchmark benchmark_named(const std::string& name) {
  if (name == "mot17") return Benchmark::mot17;
  return name == "visdrone" ? Benchmark::visdrone : Benchmark::none;
}

Result<std::vector<MotRow>> rows_in(const std::string& path, uint32_t first_frame = 1) {
  const auto text = read_text(path);
  if (!text) return text.failure();
  return read_mot(*text, path, first_frame);
}

uint32_t last_frame_of(const std::vector<MotRow>& rows) {
  uint32_t last = 0;
  for (const MotRow& row : rows) last = std::max(last, row.frame);
  return last;
}

Result<Scores> scores_of_pair(const EvalPair& pair, const EvalVerbOptions& options) {
  const auto truth = rows_in(pair.truth), result = rows_in(pair.result);
  if (!truth) return truth.failure();
  if (!result) return result.failure();
  std::vector<MotRow> ignored;
  if (!pair.ignored.empty()) {
    const auto read = rows_in(pair.ignored, 0);
    if (!read) return read.failure();
    ignored = *read;
  }
  uint32_t frames = options.frames;
  if (frames == 0) {
    const auto length = length_beside(pair.truth);
    if (!length) return length.failure();
    frames = length->value_or(0);
  }
  if (frames == 0) {
    frames = std::max(last_frame_of(*truth), last_frame_of(*result));
    note("the length of '" + pair.name + "' is not known; it is taken to end with frame " +
         std::to_string(frames) + ", the last one that has boxes (--frames or seqinfo.ini say it)");
  }
  const auto sequence = sequence_of(
      {pair.truth, *truth}, {pair.result, *result},
      {.benchmark = benchmark_named(options.benchmark), .frames = frames, .ignored = ignored});
  if (!sequence) return sequence.failure();
  return scores_of(*sequence);
}

}  // namespace

void describe(CLI::App& verb, EvalVerbOptions& options) {
  verb.add_option("GT", options.truth,
                  "ground truth: a file, or a folder of NAME.txt or NAME/gt/gt.txt")
      ->type_name("")
      ->required();
  verb.add_option("RESULT", options.result, "tracks: a file, or a folder of NAME.txt")
      ->type_name("")
      ->required();
  verb.add_option("--frames", options.frames,
                  "frames of each video (default: seqinfo.ini, else the last frame with boxes)")
      ->type_name("N")
      ->check(CLI::Range(uint32_t{1}, last_frame));
  verb.add_option("--benchmark", options.benchmark,
                  "which boxes count: none, mot17 or visdrone (default: none)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"none", "mot17", "visdrone"}));
  verb.add_option("--ignore", options.ignored,
                  "regions in which unmatched boxes do not count: a file, or a folder of NAME.txt")
      ->type_name("FILE");
  verb.add_flag("--json", options.json, "one JSON object on stdout, all figures");
  verb.footer(
      "\nExamples:\n"
      "  shingle-drone eval truth.txt tracks.txt --frames 600\n"
      "  shingle-drone eval MOT17/train results --benchmark mot17 --json\n"
      "  shingle-drone eval annotations results --benchmark visdrone");
}

int run_verb(const EvalVerbOptions& options) {
  const auto pairs = eval_pairs(options.truth, options.result, options.ignored);
  if (!pairs) return fail(pairs.failure());
  std::vector<NamedScores> sequences;
  Scores combined{.is_combined = pairs->size() > 1};
  for (const EvalPair& pair : *pairs) {
    const auto scores = scores_of_pair(pair, options);
    if (!scores) return fail(scores.failure());
    combined += *scores;
    sequences.push_back({pair.name, *scores});
  }
  return print(options.json ? eval_json(sequences, combined) : eval_text(sequences, combined));
}

}  // namespace shingle::drone
