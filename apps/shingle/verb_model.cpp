// shingle model: what a model is made of, and whether it can run.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/models/model_file.hpp"
#include "apps/run/model_facts.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/weights/compiled_file.hpp"
#include "partition/base/text.hpp"

namespace shingle {
namespace {

std::string share(int64_t part, int64_t all) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
  return text;
}

std::string check_text(const Model& model, const Reading& reading, const ModelFacts& facts) {
  std::string text = "runs: yes\n";
  const auto picture = picture_shape(model);
  text += std::string("head: ") + reading.head->name + "\n";
  if (reading.head == &raw_head)
    for (const Head* head : possible_heads(reading.clues))
      text += std::string("could be: --head ") + head->name + " (" + head->outputs + ")\n";
  text += "takes pictures: " +
          (picture ? "yes, " + to_string(picture.value()) : "no: " + picture.error()) + "\n";
  text +=
      "can be tiled: " + share(facts.macs - facts.whole_map_macs, facts.macs) + " of the MACs\n";
  for (const LayerFacts& layer : facts.layers)
    if (layer.whole_map) text += "whole map: " + layer.name + " (" + layer.op + ")\n";
  return text;
}

std::string check_json(const Model& model, const Reading& reading, const ModelFacts& facts) {
  nlohmann::ordered_json json{{"runs", true},
                              {"head", reading.head->name},
                              {"possible_heads", nlohmann::ordered_json::array()},
                              {"takes_pictures", picture_shape(model).ok()},
                              {"macs", facts.macs},
                              {"tileable_macs", facts.macs - facts.whole_map_macs},
                              {"whole_map_layers", nlohmann::ordered_json::array()}};
  for (const Head* head : possible_heads(reading.clues))
    json["possible_heads"].push_back(head->name);
  for (const LayerFacts& layer : facts.layers)
    if (layer.whole_map) json["whole_map_layers"].push_back(layer.name);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
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
  CLI::App* check = verb.add_subcommand("check", "say whether shingle can run it");
  describe(*check, options.model);
  describe(*check, options.reading);
  check->add_flag("--json", options.json, "one JSON object on stdout");
  check->callback([&options] { options.check = true; });
}

int run_verb(const ModelOptions& options) {
  if (options.model.path.empty()) return fail(Exit::usage, "name a model: shingle model MODEL");
  const auto opened = open_model(options.model.where(), onnx_options_of(options.model));
  if (!opened) return fail(Exit::bad_input, opened.error());
  const Model& model = opened->model;
  if (options.memory && CompiledFile::is_one(options.model.path))
    return show_kept_memory(options.model.path, options.json);
  if (options.memory) return show_memory(model, options);
  const ModelFacts facts = facts_of(model);
  if (options.check) {
    Reading reading;
    if (const Status status = choose_reading(*opened, options.reading, reading); !status)
      return fail(status.failure());
    return print(options.json ? check_json(model, reading, facts)
                              : check_text(model, reading, facts));
  }
  return print(options.json ? json_of(model, facts) + "\n" : table_of(model, facts));
}

}  // namespace shingle
