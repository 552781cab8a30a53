#include "apps/trace/trace_verb.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <span>

#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"
#include "apps/trace/merge_traces.hpp"
#include "apps/trace/trace_diff.hpp"

namespace shingle {
namespace {

using Json = nlohmann::ordered_json;

Status save(const std::string& path, const std::string& text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

std::string clocks_json(const std::vector<NodeClockFit>& clocks) {
  Json all = Json::array();
  for (const NodeClockFit& clock : clocks)
    all.push_back({{"node", clock.node.value},
                   {"through", clock.through.value},
                   {"offset_us", clock.offset_ns / 1e3},
                   {"drift_ppm", clock.drift * 1e6},
                   {"error_us", clock.error_ns / 1e3}});
  return Json{{"clocks", all}}.dump() + "\n";
}

int merge(const TraceVerbOptions& options) {
  const auto merged = merge_traces(options.files);
  if (!merged) return fail(merged.failure());
  if (options.out.empty()) return print(merged->text);
  if (const Status saved = save(options.out, merged->text); !saved) return fail(saved.failure());
  return print(options.json ? clocks_json(merged->clocks) : clocks_text(merged->clocks));
}

void describe_merge(CLI::App& verb, TraceVerbOptions& options) {
  verb.add_option("FILES", options.files, "traces of nodes: what --trace wrote")
      ->type_name("")
      ->required();
  verb.add_option("--out", options.out, "the merged trace (default: stdout)")->type_name("FILE");
  verb.add_flag("--json", options.json, "the clocks as one JSON object on stdout");
  verb.footer("\nExample:\n  shingle trace merge node0.json node1.json node2.json --out all.json");
}

Result<TraceMeasures> measures_in(const std::string& path) {
  const auto trace = read_trace_file(path);
  if (!trace) return trace.failure();
  return measure(*trace);
}

int diff(const TraceVerbOptions& options) {
  const auto real = measures_in(options.real), simulated = measures_in(options.simulated);
  if (!real) return fail(real.failure());
  if (!simulated) return fail(simulated.failure());
  const std::vector<Cause> causes = causes_between(*real, *simulated);
  return print(options.json ? diff_json(*real, *simulated, causes)
                            : diff_text(*real, *simulated, causes));
}

void describe_diff(CLI::App& verb, TraceVerbOptions& options) {
  verb.add_option("REAL", options.real, "a merged trace of a run")->type_name("")->required();
  verb.add_option("SIMULATED", options.simulated, "a trace of the simulated run")
      ->type_name("")
      ->required();
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer("\nExample:\n  shingle trace diff all.json expected.json");
}

}  // namespace

void describe(CLI::App& verb, TraceVerbOptions& options) {
  verb.require_subcommand(1);
  const auto add = [&](const char* name, const char* what, TraceVerbOptions::Action action,
                       void (*describe_action)(CLI::App&, TraceVerbOptions&)) {
    CLI::App& each = *verb.add_subcommand(name, what);
    describe_action(each, options);
    each.callback([&options, action] { options.action = action; });
  };
  add("merge", "put the traces of several nodes on one clock", TraceVerbOptions::Action::merge,
      describe_merge);
  add("diff", "name what makes a run differ from its simulation", TraceVerbOptions::Action::diff,
      describe_diff);
  add("replay", "predict what a traced run would be on another cluster",
      TraceVerbOptions::Action::replay, describe_replay);
  verb.footer(
      "\nExamples:\n"
      "  shingle trace merge node0.json node1.json --out all.json\n"
      "  shingle trace replay all.json --cluster boards.toml --predicted --out expected.json\n"
      "  shingle trace diff all.json expected.json");
}

int run_verb(const TraceVerbOptions& options) {
  switch (options.action) {
    case TraceVerbOptions::Action::merge:
      return merge(options);
    case TraceVerbOptions::Action::diff:
      return diff(options);
    case TraceVerbOptions::Action::replay:
      return replay_trace(options);
  }
  return 0;
}

}  // namespace shingle
