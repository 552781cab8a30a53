// shingle model: what a model is made of, and whether it can run.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/models/model_file.hpp"
#include "apps/run/model_facts.hpp"
#include "apps/shingle/check_report.hpp"
#include "apps/shingle/export_advice.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/weights/compiled_file.hpp"
#include "partition/base/text.hpp"

namespace shingle {
namespace {

std::vector<OnnxInput> inputs_of(const ModelFile& file) {
  auto inputs = read_onnx_inputs(file.file.bytes());
  return inputs ? std::move(*inputs) : std::vector<OnnxInput>();
}

int check_readable(const ModelFile& opened, const ModelOptions& options) {
  Reading reading;
  if (const Status status = choose_reading(opened, options.reading, reading); !status)
    return fail(status.failure());
  const ModelCheck check = check_of(opened.model);
  const CheckReport report{.model = opened.model,
                           .reading = reading,
                           .check = check,
                           .advice = advice_for(opened.model, reading, check, inputs_of(opened)),
                           .layers = options.layers};
  return print(options.json ? json_of(report) : text_of(report));
}

// The sentence on stderr, and on stdout what there is to say beside it.
int check_refused(const std::string& reason, const ModelOptions& options) {
  RefusedReport report{.reason = reason, .unread = {}, .advice = {}};
  if (const auto file = OnnxFile::open(options.model.path)) {
    report.unread = file->unread(onnx_options_of(options.model));
    report.advice = advice_for(report.unread, file->exported());
  }
  const std::string text = options.json ? json_of(report) : text_of(report);
  if (const Status printed = text.empty() ? success() : print_result(text); !printed)
    return fail(Exit::runtime, printed.error());
  return fail(Exit::bad_input, reason);
}

std::string json_of(const MemoryPlan& plan) {
  nlohmann::ordered_json json{{"arena_bytes", plan.arena_bytes},
                              {"live_bytes", plan.live_bytes},
                              {"layer_wise_bytes", plan.layer_wise_bytes},
                              {"strips", plan.strips},
                              {"buffers", nlohmann::ordered_json::array()}};
  for (const MemoryPlan::Buffer& buffer : plan.buffers)
    json["buffers"].push_back({{"map", buffer.map},
                               {"offset", buffer.offset},
                               {"bytes", buffer.bytes},
                               {"rows", buffer.rows},
                               {"of_rows", buffer.of_rows},
                               {"first_strip", buffer.first_strip},
                               {"last_strip", buffer.last_strip}});
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The memory plan that a compiled file was given, from whomever: a line at a time.
int show_kept_memory(const std::string& path, bool as_json) {
  const auto file = CompiledFile::open(path);
  if (!file) return fail(file.failure());
  std::istringstream kept((*file)->contents().memory_text);
  nlohmann::ordered_json json{{"compiled", true}, {"lines", nlohmann::ordered_json::array()}};
  std::string text, line;
  while (std::getline(kept, line)) {
    const std::string shown = readable(line, line.size());
    text += shown + "\n";
    json["lines"].push_back(shown);
  }
  return print(as_json ? json.dump() + "\n" : text);
}

int show_memory(const Model& model, const ModelOptions& options) {
  NativeExecutor executor({.threads = static_cast<int>(options.threads)});
  const TileProgram program = whole_program(model);
  if (const Status prepared = executor.prepare(model, std::span(&program, 1)); !prepared)
    return fail(Exit::bad_input, prepared.error());
  const MemoryPlan plan = executor.memory_plan(program);
  return print(options.json ? json_of(plan) : draw(plan));
}

}  // namespace

void describe(CLI::App& verb, ModelOptions& options) {
  describe(verb, options.model, false);
  auto* memory = verb.add_flag("--memory", options.memory,
                               "draw how this machine would store the maps of a frame");
  verb.add_option("--threads", options.threads,
                  "threads (default: 1); more threads make higher strips")
      ->type_name("N")
      ->check(CLI::Range(1, 256))
      ->needs(memory);
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer(
      "\nExamples:\n"
      "  shingle model yolox_nano.onnx                a table: layers, shapes, MACs, weights\n"
      "  shingle model yolox_nano.onnx --json | jq .macs\n"
      "  shingle model yolox_nano.onnx --memory       which map lies where in memory, and when\n"
      "  shingle model check yolox_nano.onnx          can it run? exit code 3 and a sentence if "
      "not");
  CLI::App* check =
      verb.add_subcommand("check", "say whether shingle can run it, and what that will be like");
  describe(*check, options.model);
  describe(*check, options.reading);
  check->add_flag("--layers", options.layers,
                  "all layers in order, and not one row for each kind of them");
  check->add_flag("--json", options.json, "one JSON object on stdout");
  check->callback([&options] { options.check = true; });
}

int run_verb(const ModelOptions& options) {
  if (options.model.path.empty()) return fail(Exit::usage, "name a model: shingle model MODEL");
  const auto opened = open_model(options.model.where(), onnx_options_of(options.model));
  if (!opened)
    return options.check ? check_refused(opened.error(), options)
                         : fail(Exit::bad_input, opened.error());
  if (options.check) return check_readable(*opened, options);
  const Model& model = opened->model;
  if (options.memory && CompiledFile::is_one(options.model.path))
    return show_kept_memory(options.model.path, options.json);
  if (options.memory) return show_memory(model, options);
  const ModelFacts facts = facts_of(model);
  return print(options.json ? json_of(model, facts) + "\n" : table_of(model, facts));
}

}  // namespace shingle
