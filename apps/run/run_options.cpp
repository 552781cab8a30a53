// The options of `shingle run`.
#include <CLI/CLI.hpp>

#include "apps/cli/common_options.hpp"
#include "apps/client/audit_share.hpp"
#include "apps/client/patience.hpp"
#include "apps/run/further_model.hpp"
#include "apps/run/run_options.hpp"

namespace shingle {

namespace {

void describe_nodes(CLI::App& verb, RunOptions& options) {
  auto* cluster = verb.add_option("--cluster", options.cluster,
                                  "compute on these nodes (TOML) instead of local workers")
                      ->type_name("FILE");
  auto* id =
      verb.add_option("--id", options.id, "which node of the cluster file this is")->type_name("N");
  verb.add_flag("--compute", options.compute, "this node computes too, as the cluster file says")
      ->needs("--id");
  verb.add_option("--models", options.models,
                  "models of other owners (files, folders); this node computes their tiles too")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs("--compute");
  verb.add_option("--workers", options.workers, "local worker processes (default: 4)")
      ->type_name("N")
      ->check(CLI::Range(1, 64))
      ->excludes(cluster)
      ->excludes(id);
  verb.add_option("--slow-worker", options.slow_workers,
                  "slow down a local worker, such as 0:4; may be repeated")
      ->type_name("WORKER:FACTOR")
      ->allow_extra_args(false)
      ->excludes(cluster);
  verb.add_option("--threads", options.threads, "threads of each local worker (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  verb.add_option("--packed", options.packed, packed_help)->type_name("FOLDER");
  verb.add_option("--memory", options.memory, memory_help)->type_name("CAP");
  verb.add_option("--executor", options.executor, "native, xnnpack or reference (default: native)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"native", "xnnpack", "reference"}));
}

void describe_plan(CLI::App& verb, RunOptions& options) {
  auto* plan = verb.add_option("--plan", options.plan,
                               "use this plan, from 'shingle plan --out', and never plan anew")
                   ->type_name("FILE");
  verb.add_option("--goal", options.goal,
                  "what to optimise: latency, throughput, energy or memory (default: latency)")
      ->type_name("GOAL")
      ->check(CLI::IsMember({"latency", "throughput", "energy", "memory"}))
      ->excludes(plan);
  verb.add_flag("--keep-plan", options.keep_plan,
                "plan only once, even if nodes are or become slower or faster than expected")
      ->needs("--id");
  verb.add_option("--slow-file", options.slow_file, slow_file_help)->type_name("FILE");
}

void describe_results(CLI::App& verb, RunOptions& options) {
  verb.add_option("--out", options.out,
                  "annotated media: a video (.mp4, .avi, .mkv, .mov), an image, or a folder")
      ->type_name("PATH");
  verb.add_option("--input", options.inputs,
                  "an input that takes no picture: float32 values in the file's order; repeatable")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  verb.add_option("--raw-out", options.raw_out,
                  "folder for the raw outputs (f32, in the file's order)")
      ->type_name("FOLDER");
  verb.add_option("--trace", options.trace, trace_help)->type_name("FILE");
  verb.add_flag("--json", options.json, "one JSON line per frame and one summary on stdout");
  describe(verb, options.reading);
  verb.add_option("--score", options.min_score, "minimum score (default: the model's)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1.0));
  verb.add_option("--nms", options.max_overlap,
                  "maximum overlap of two detections of one class (default: 0.45)")
      ->type_name("O")
      ->check(CLI::Range(0.0, 1.0));
}

void describe_frames(CLI::App& verb, RunOptions& options) {
  verb.add_option("--frames", options.frames, "stop after this many frames")
      ->type_name("N")
      ->check(CLI::PositiveNumber);  // CLI11 takes "-3" for a large unsigned number
  verb.add_option(
          "--open", options.open_frames,
          "frames under way at once (default: 4); 1: one after the other; each --model adds "
          "two, or one")
      ->type_name("N")
      ->check(CLI::Range(1, 16));
  verb.add_option("--deadline", options.deadline_seconds,
                  "seconds that a frame may take (default: no limit); its tiles come before those "
                  "of owners without a deadline, and a late result does not count")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-6, 1200.0));
  verb.add_option("--audit", options.audit,
                  "share of the tiles that another node computes again, such as 2% (default: "
                  "none); a node that computes wrongly is excluded")
      ->type_name("SHARE")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return audit_share(text) ? "" : "'" + text + "' is not a share; write 2% or 0.02";
          },
          ""));
  verb.add_option("--patience", options.patience_seconds, patience_help)
      ->type_name("SECONDS")
      ->check(CLI::Range(0.2, 3600.0));
  verb.add_option("--reconnect", options.reconnect_seconds,
                  "how long to connect again to a stream that was lost (default: 60)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0));
  verb.add_flag("--verify", options.verify,
                "also compute each frame on this machine alone, and compare every byte");
}

}  // namespace

void describe(CLI::App& verb, RunOptions& options) {
  describe(verb, options.model);
  verb.add_option("--model", options.further_models,
                  "a further model that also computes every EVERY-th frame, such as "
                  "plates=plates.onnx:5; its results are reported under NAME; may be repeated")
      ->type_name("NAME=FILE:EVERY")
      ->allow_extra_args(false)
      ->check(checked([](const std::string& text) {
        const auto model = read_further_model(text);
        return model ? std::string() : model.error();
      }));
  verb.add_option("INPUT", options.input,
                  "an image, a folder of images, a video or several that are one recording, "
                  "camera:0 or a stream's URL")
      ->type_name("")
      ->required()
      ->expected(1, -1);
  describe_nodes(verb, options);
  describe_plan(verb, options);
  describe_results(verb, options);
  describe_frames(verb, options);
  describe(verb, options.admission);
  describe(verb, options.broker);
  verb.footer(
      "\nExamples:\n"
      "  shingle run yolox_nano.onnx street.mp4 --out boxes.mp4\n"
      "  shingle run yolox_nano.onnx photos/ --out annotated/ --json > boxes.jsonl\n"
      "  shingle run yolox_nano.onnx street.mp4 --frames 50 --verify --slow-worker 0:4\n"
      "  shingle run yolox_nano.onnx street.mp4 --model plates=plates.onnx:5 --json\n"
      "  shingle run yolox_nano.onnx camera:0 --cluster boards.toml --id 9 --json\n"
      "  shingle run yolox_nano.onnx street.mp4 --broker mqtt://10.0.0.1:1883 --id 9");
}

}  // namespace shingle
