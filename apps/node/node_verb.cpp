// shingle node: a worker of a cluster that runs until it is told to stop.
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "apps/cli/command_line.hpp"
#include "apps/cli/common_options.hpp"
#include "apps/cli/program_log.hpp"
#include "apps/client/node_report.hpp"
#include "apps/client/patience.hpp"
#include "apps/client/session.hpp"
#include "apps/client/trace_file.hpp"
#include "apps/models/compiled_model.hpp"
#include "apps/models/model_store.hpp"
#include "apps/node/broker_options.hpp"
#include "apps/node/core_choice.hpp"
#include "apps/node/node_verb.hpp"
#include "apps/node/refined_profile.hpp"
#include "apps/node/service.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/stop_signals.hpp"

namespace shingle {
namespace {

void log(const Report& report) {
  if (report.sentence.empty() && report.kind != Report::Kind::peer_joined) return;
  const std::string text = report.sentence.empty()
                               ? "node " + std::to_string(report.node.value) + " joined"
                               : report.sentence;
  spdlog::log(facts_of(report.kind).is_warning ? spdlog::level::warn : spdlog::level::info, "{}",
              text);
}

// The pace from the command line, else from the cluster file.
Pace pace_of(const NodeOptions& options, const ClusterFile& cluster) {
  if (options.pace) return {.gflops = *options.pace};
  if (options.slow > 1.0) return {.slowness = options.slow};
  return pace_of(cluster, NodeId{options.id});
}

// The cores from the command line, else from this node's profile.
std::string cores_of(const NodeOptions& options, const ClusterFile& cluster) {
  if (!options.cores.empty()) return options.cores;
  for (const ClusterFileNode& node : cluster.nodes)
    if (node.id == NodeId{options.id} && node.device) return node.device->run_on;
  return {};
}

Result<int64_t> cap_of(const NodeOptions& options, const ClusterFile& cluster) {
  if (!options.memory.empty()) return memory_cap(options.memory);
  for (const ClusterFileNode& node : cluster.nodes)
    if (node.id == NodeId{options.id}) return node.memory_bytes;
  return int64_t{0};
}

// Sets what this node announces about itself. The command line goes before the cluster file.
void describe_self(const NodeOptions& options, int64_t cap, ClusterFile& cluster) {
  for (ClusterFileNode& node : cluster.nodes) {
    if (node.id != NodeId{options.id}) continue;
    node.memory_bytes = cap;
    if (options.pace) {
      node.gflops = *options.pace;
      node.pace = true;
    }
    if (node.device || options.profile.empty()) continue;
    auto device = load_profile(options.profile);
    if (!device) continue;  // there is none yet
    node.cores = device->cores;
    node.gflops = gflops_of(costs_on(*device, node.cores));
    node.link_mbps = device->link_mbps;
    node.device = std::move(*device);
  }
}

// How fast it computes, or is to compute.
void describe_speed(CLI::App& verb, NodeOptions& options) {
  auto* slow = verb.add_option("--slow", options.slow,
                               "take this many times longer, for experiments (default: 1)")
                   ->type_name("FACTOR")
                   ->check(CLI::Range(1.0, 1000.0));
  verb.add_option(
          "--pace", options.pace,
          "compute as slowly as a machine of this many GFLOP/s, whatever the cluster file says")
      ->type_name("GFLOPS")
      ->check(CLI::Range(1e-3, 1e6))
      ->excludes(slow);
  verb.add_option("--slow-file", options.slow_file, slow_file_help)->type_name("FILE");
  verb.add_option("--profile", options.profile,
                  "this machine's profile; the node corrects it with the times of its tiles and "
                  "writes it back when it ends")
      ->type_name("FILE");
}

}  // namespace

void describe(CLI::App& verb, NodeOptions& options) {
  verb.add_option("--cluster", options.cluster,
                  "cluster file (TOML), the same on every node; may be left out with --broker")
      ->type_name("FILE");
  verb.add_option("--id", options.id, "this node's id in the cluster file or in the list of keys")
      ->type_name("N")
      ->required();
  verb.add_option(
          "--models", options.models,
          "ONNX files, Darknet .cfg files, folders of them, compiled files (default: this folder)")
      ->type_name("PATH")
      ->allow_extra_args(false);
  verb.add_option("--threads", options.threads,
                  "threads for each tile (default: 1, or one for each of --cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  describe_cores(verb, options.cores);
  verb.add_option("--packed", options.packed, packed_help)->type_name("FOLDER");
  verb.add_option(
          "--memory", options.memory,
          "memory that this node may use beyond its bare process, such as 48MiB (default: from the "
          "cluster file)")
      ->type_name("CAP")
      ->check(checked(check_memory));
  describe_max_constants(verb, options.max_constants);
  verb.add_option("--executor", options.executor, "native, xnnpack or reference (default: native)")
      ->type_name("NAME");
  describe_speed(verb, options);
  verb.add_option("--patience", options.patience_seconds, patience_help)
      ->type_name("SECONDS")
      ->check(CLI::Range(0.2, 3600.0));
  verb.add_option("--credit", options.credit_kib,
                  "KiB of tensors that may be under way on each of its connections (default: 256)")
      ->type_name("KIB")
      ->check(CLI::Range(1.0, 1e6));
  verb.add_option("--trace", options.trace, trace_help)->type_name("FILE");
  verb.add_option("--log-level", options.log_level,
                  "error, warning, info or debug (default: warning)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"error", "warning", "info", "debug"}));
  verb.add_option("--config", options.config,
                  "settings file: options of this verb as keys (docs/use/service.md); the command "
                  "line and SHINGLE_... "
                  "variables go before it; 'none': neither file nor variables")
      ->type_name("FILE");
  describe(verb, options.admission);
  describe(verb, options.broker);
  verb.footer(
      "\nExamples:\n"
      "  shingle node --cluster boards.toml --id 2 --models /srv/models\n"
      "  shingle node --cluster boards.toml --id 3 --threads 4 --insecure\n"
      "  shingle node --broker mqtt://10.0.0.1:1883 --id 3 --models /srv/models\n"
      "  shingle node --cluster boards.toml --id 4 --cores big\n"
      "  shingle node --config /etc/shingle/node.toml\n"
      "\nIt stops on Ctrl-C or SIGTERM and then prints what it did as one JSON line. On SIGHUP it "
      "reads its settings again: "
      "log level and models change at once.");
}

namespace {

// What the node computes with, and what is known of its speed.
struct Machinery {
  std::function<Result<std::unique_ptr<Executor>>()> bare_executor;
  NodePace pace;
  std::unique_ptr<RefinedProfile> profile;

  std::unique_ptr<Executor> arranged(std::unique_ptr<Executor> bare) {
    std::unique_ptr<Executor> computing = pace.paced(std::move(bare));
    return profile ? profile->watched(std::move(computing)) : std::move(computing);
  }
};

SessionOptions session_options(const NodeOptions& options, ClusterFile cluster, int64_t cap,
                               uint32_t threads) {
  SessionOptions session{.cluster = std::move(cluster),
                         .id = NodeId{options.id},
                         .executor = {},
                         .memory = {.id = NodeId{options.id},
                                    .memory_bytes = cap,
                                    .threads = static_cast<int>(threads)},
                         .keys = options.admission.folder(),
                         .insecure = options.admission.insecure,
                         .log = program_log(),
                         .find_model = {},
                         .on_deliver = {},
                         .on_report = log};
  const Patience patience = patience_of(options.patience_seconds);
  session.limits.silence_allowed = patience.least;
  session.limits.most_silence_allowed = patience.most;
  if (options.credit_kib)
    session.limits.link_credit_bytes = static_cast<int64_t>(*options.credit_kib * 1024.0);
  return session;
}

// Until a signal asks it to stop.
int serve(const NodeOptions& options, SessionOptions session_options, Machinery& machinery,
          ModelStore& models, StopSignals& signals) {
  std::unique_ptr<TraceFile> trace;
  if (!options.trace.empty()) {
    auto created = TraceFile::create(options.trace);
    if (!created) return fail(created.failure());
    trace = std::move(*created);
    trace->begin({.source = TraceHeader::Source::node,
                  .node = NodeId{options.id},
                  .program = program_version,
                  .model = {},
                  .cluster = options.cluster});
    session_options.on_trace = [&](const TraceEvent& event) { trace->add(event); };
  }
  auto session = Session::start(std::move(session_options));
  if (!session) return fail(session.failure());
  if (trace) trace->watch([&] { return (*session)->transport().sent_again(); });
  attend({.options = options, .session = **session, .models = models, .signals = signals});
  machinery.pace.end();
  (*session)->stop();
  if (const Status saved = machinery.profile ? machinery.profile->save() : success(); !saved)
    return fail(saved.failure());
  if (const Status traced = trace ? trace->end() : success(); !traced)
    return fail(traced.failure());
  return print(node_report(**session, machinery.pace).dump() + "\n");
}

}  // namespace

int run_verb(const NodeOptions& options) {
  StopSignals signals(StopSignals::Hangup::reloads);
  take_log_level(options);
  if (options.cluster.empty() && options.broker.uri.empty())
    return fail(Exit::usage, "say with --cluster or --broker where the others are");
  auto members = members_of(options.cluster, options.broker, options.admission, NodeId{options.id});
  if (!members) return fail(members.failure());
  ClusterFile& cluster = *members;
  const auto threads = take_cores(cores_of(options, cluster), options.threads, 1);
  if (!threads) return fail(Exit::bad_input, threads.error());
  const auto cap = cap_of(options, cluster);
  if (!cap) return fail(Exit::usage, cap.error());
  const auto compiled = compiled_among(options.models);
  if (!compiled) return fail(Exit::bad_input, compiled.error());
  const ExecutorOptions executors{.name = options.executor,
                                  .threads = *threads,
                                  .packed_folder = options.packed,
                                  .capped = *cap > 0,
                                  .compiled = *compiled,
                                  .log = program_log()};
  Machinery machinery{
      .bare_executor = [&] { return make_executor(executors); },
      .pace = NodePace(pace_of(options, cluster), slowdown_of_file(options.slow_file)),
      .profile = {}};
  auto executor = machinery.bare_executor();
  if (!executor) return fail(Exit::usage, executor.error());
  if (!options.profile.empty()) {
    auto opened = RefinedProfile::open(options.profile);
    if (!opened) return fail(Exit::bad_input, opened.error());
    machinery.profile = std::move(*opened);
  }
  ModelStore models(model_paths(options), FileHashes(hashes_file(options.packed)),
                    constant_bytes_of(options.max_constants, *cap));
  describe_self(options, *cap, cluster);
  const auto membership =
      open_membership(options.broker, cluster, NodeId{options.id}, program_log());
  if (!membership) return fail(membership.failure());
  SessionOptions session = session_options(options, std::move(cluster), *cap, *threads);
  session.executor = machinery.arranged(std::move(*executor));
  session.another_executor = [&] { return machinery.arranged(machinery.bare_executor().value()); };
  session.find_model = [&](const ModelName& name) { return models.find(name); };
  if (*membership) session.announced = Announced{membership->get(), models.names()};
  return serve(options, std::move(session), machinery, models, signals);
}

}  // namespace shingle
