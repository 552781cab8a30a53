// All verbs, in the order in which the help lists them.
#include "apps/shingle/verb_list.hpp"

#include <CLI/CLI.hpp>

#include "apps/cli/command_line.hpp"
#include "apps/node/config_verb.hpp"
#include "apps/node/keys_verb.hpp"
#include "apps/scene/verb.hpp"
#include "apps/serve/serve_options.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/simulate/simulate_verb.hpp"
#include "apps/sweep/sweep_verb.hpp"
#include "apps/trace/trace_verb.hpp"

namespace shingle {
namespace {

constexpr const char* overview_examples =
    "\nExamples:\n"
    "  shingle run yolox_nano.onnx street.mp4 --out boxes.mp4     four local workers\n"
    "  shingle run yolox_nano.onnx photo.jpg --json               boxes as JSON lines\n"
    "  shingle plan yolox_nano.onnx --nodes 4                     what would run where\n"
    "  shingle model yolox_nano.onnx                              layers, shapes, work\n"
    "\n'shingle VERB --help' says more. Exit codes: 0 success, 1 failure while running, 2 wrong "
    "usage, 3 bad input.";

struct Options {
  RunOptions run;
  PlanOptionsOfUser plan;
  ModelOptions model;
  CompileOptions compile;
  VerifyOptions verify;
  ClusterOptions cluster;
  ProfileOptions profile;
  KeysOptions keys;
  SimulateOptions simulate;
  SweepOptions sweep;
  SceneVerbOptions scene;
  ScoreOptions score;
  TraceVerbOptions trace;
  ServeOptions serve;
};

void describe_all(CLI::App& program, Options& options) {
  program.footer(overview_examples);
  describe(*program.add_subcommand("run", "run a model over pictures or a video"), options.run);
  program.add_subcommand(
      "node", "compute tiles as a worker of a cluster");  // only for the list: see node_program.hpp
  program.add_subcommand("config", config_summary);       // likewise
  describe(*program.add_subcommand("plan", "plan which node computes what, and draw the plan"),
           options.plan);
  describe(*program.add_subcommand("model", "show what a model consists of"), options.model);
  describe(*program.add_subcommand("compile", "prepare a model for a machine ahead of time"),
           options.compile);
  describe(*program.add_subcommand("verify", "compare every layer on two executors"),
           options.verify);
  describe(*program.add_subcommand("cluster", "show what a cluster file says"), options.cluster);
  describe(*program.add_subcommand("profile", "measure this machine"), options.profile);
  describe(*program.add_subcommand("keys", keys_summary), options.keys);
  describe(
      *program.add_subcommand("simulate", "answer questions about a cluster that nobody has built"),
      options.simulate);
  describe(*program.add_subcommand("sweep", "compare many clusters that nobody has built"),
           options.sweep);
  describe(*program.add_subcommand("scene", "render a clip of traffic with its ground truth"),
           options.scene);
  describe(*program.add_subcommand("score", "compare found boxes with a clip's ground truth"),
           options.score);
  describe(*program.add_subcommand("trace", "merge, compare and replay traces of runs"),
           options.trace);
  describe(*program.add_subcommand("serve", "serve models over HTTP and to Frigate"),
           options.serve);
}

int run_chosen(const CLI::App& program, const Options& options) {
  if (program.got_subcommand("run")) return run_verb(options.run);
  if (program.got_subcommand("plan")) return run_verb(options.plan);
  if (program.got_subcommand("compile")) return run_verb(options.compile);
  if (program.got_subcommand("verify")) return run_verb(options.verify);
  if (program.got_subcommand("cluster")) return run_verb(options.cluster);
  if (program.got_subcommand("profile")) return run_verb(options.profile);
  if (program.got_subcommand("keys")) return run_verb(options.keys);
  if (program.got_subcommand("simulate")) return run_verb(options.simulate);
  if (program.got_subcommand("sweep")) return run_verb(options.sweep);
  if (program.got_subcommand("scene")) return run_verb(options.scene);
  if (program.got_subcommand("score")) return run_verb(options.score);
  if (program.got_subcommand("trace")) return run_verb(options.trace);
  if (program.got_subcommand("serve")) return run_verb(options.serve);
  return run_verb(options.model);
}

}  // namespace

int run_verbs(int argc, char** argv) {
  CLI::App program("Runs one convolutional network across a handful of small machines.", "shingle");
  Options options;
  set_up(program);
  describe_all(program, options);
  if (argc >= 2) options.serve.words.assign(argv + 2, argv + argc);  // it reads them again
  return run_command_line(program, argc, argv,
                          [&](const CLI::App& chosen) { return run_chosen(chosen, options); });
}

}  // namespace shingle
