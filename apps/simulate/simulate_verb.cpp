#include "apps/simulate/simulate_verb.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <span>
#include <thread>

#include "apps/cli/command_line.hpp"
#include "apps/simulate/audit.hpp"
#include "apps/simulate/frames_csv.hpp"
#include "apps/simulate/network_choice.hpp"
#include "apps/simulate/page.hpp"
#include "apps/simulate/run_seeds.hpp"
#include "apps/simulate/summary_json.hpp"
#include "apps/simulate/summary_text.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/stop_signals.hpp"
#include "apps/system/write_file.hpp"
#include "runtime/protocol/trace_text.hpp"

namespace shingle {
namespace {

using namespace sim;

// Writes the first run's trace while it goes on.
class TraceWriter {
 public:
  Status open(const std::string& path, const ReadExperiment& read) {
    out_.open(path, std::ios::trunc);
    if (!out_) return usage_error("cannot write the trace '" + path + "'");
    path_ = path;
    const Json facts = json_of(read.provenance);
    // Names of files may be no UTF-8.
    std::string inside = facts.dump(-1, ' ', false, Json::error_handler_t::replace);
    out_ << TracePrinter::begin({.source = TraceHeader::Source::simulation,
                                 .node = {},
                                 .program = program_version,
                                 .model = {},
                                 .cluster = read.experiment.file.cluster_file,
                                 .facts = inside.substr(1, inside.size() - 2)});
    return success();
  }
  void add(const TraceEvent& event) { out_ << printer_.lines(event); }
  Status close() {
    if (path_.empty()) return success();
    out_ << TracePrinter::end();
    out_.close();
    return out_ ? success() : Status(Error{"the trace '" + path_ + "' could not be written"});
  }

 private:
  using Json = nlohmann::ordered_json;
  std::string path_;
  std::ofstream out_;
  TracePrinter printer_;
};

struct Errand {
  const SimulateOptions& options;
  const ReadExperiment& read;
  StopSignals& signals;
  StartSimulator network, audit;  // audit: only if it is asked for
};

// Where nothing is drawn, one run says it all.
uint32_t runs_of(const Errand& work, const StartSimulator& network) {
  if (!network && drawn_parts(work.read.experiment).empty()) return 1;
  return work.options.seeds.value_or(work.read.experiment.file.seeds);
}

using Runs = std::vector<RunResult>;

// `first`: of the first run.
Result<Runs> run_all(const Errand& work, const StartSimulator& network,
                     const SeedRunOptions& first) {
  const Experiment& experiment = work.read.experiment;
  const uint32_t runs = runs_of(work, network);
  const double seconds = in_nanoseconds(experiment.file.duration) / 1e9;
  const bool shown = stderr_is_terminal() && !work.options.json;
  Progress progress(static_cast<uint64_t>(std::ceil(runs * seconds)), shown, "simulated seconds");
  SeedRuns wanted{
      .first_seed = work.options.seed.value_or(experiment.file.first_seed),
      .runs = runs,
      .threads = work.options.threads.value_or(std::max(1U, std::thread::hardware_concurrency())),
      .first = first,
      .simulator = network};
  wanted.go_on = [&](double done) {
    progress.done(static_cast<uint64_t>(done * seconds));
    return !work.signals.asked();
  };
  wanted.on_run = [&](const RunResult& run) {
    if (!shown || runs == 1) return;
    progress.clear();
    std::fprintf(stderr, "%s\n", run_line(experiment, run).c_str());
  };
  auto results = run_seeds(experiment, wanted);
  if (results && results->empty()) return Error{"stopped by a signal before a run had ended"};
  if (results && results->size() < runs)
    note("stopped by a signal: these are the results of " + std::to_string(results->size()) +
         " of " + std::to_string(runs) + " runs");
  return results;
}

Result<Runs> run_first(const Errand& work) {
  TraceWriter trace;
  SeedRunOptions first;
  if (!work.options.page.empty()) first.spans = spans_on_page;
  if (!work.options.trace.empty()) {
    if (const Status opened = trace.open(work.options.trace, work.read); !opened)
      return opened.failure();
    first.on_trace = [&](const TraceEvent& event) { trace.add(event); };
  }
  auto results = run_all(work, work.network, first);
  if (const Status closed = trace.close(); !closed) return closed.failure();
  return results;
}

Result<std::optional<Audit>> run_audit(const Errand& work, const Runs& runs) {
  if (work.options.audit.empty() || work.signals.asked()) return std::optional<Audit>();
  const auto by = run_all(work, work.audit, {});
  if (!by) return by.failure();
  return std::optional(audit_of(work.read.experiment, runs, *by));
}

Status save(const std::string& path, const std::string& text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

std::string json_text(const Errand& work, const Runs& runs, const Summary& summary,
                      const std::optional<Audit>& audit) {
  nlohmann::ordered_json json = json_of(work.read.experiment, work.read.provenance, runs, summary);
  if (audit) json["audit"] = json_of(*audit);
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int finish(const Errand& work, const Runs& runs, const std::optional<Audit>& audit) {
  const Experiment& experiment = work.read.experiment;
  const Summary summary = summary_of(experiment, runs);
  std::vector<std::string> breaches = summary.breaches;
  if (audit) breaches.insert(breaches.end(), audit->breaches.begin(), audit->breaches.end());
  for (const std::string& breach : breaches)
    note("the simulation broke one of its own rules, so no figure counts: " + breach);
  if (!work.options.page.empty()) {
    const std::string page = page_of(experiment, work.read.provenance, runs, summary);
    if (const Status saved = save(work.options.page, page); !saved) return fail(saved.failure());
  }
  if (!work.options.frames.empty())
    if (const Status saved = save(work.options.frames, frames_csv(runs)); !saved)
      return fail(saved.failure());
  const int printed = work.options.json ? print(json_text(work, runs, summary, audit))
                                        : print(summary_text(experiment, summary) +
                                                (audit ? audit_text(*audit) : "") + "\n" +
                                                origin_text(work.read.provenance, runs));
  return breaches.empty() ? printed : static_cast<int>(Exit::runtime);
}

}  // namespace

Surroundings SimulateOptions::surroundings() const {
  const auto microseconds = [](double count) { return Duration(std::llround(count * 1e3)); };
  return {.message_latency = microseconds(message_latency_us),
          .handover = microseconds(handover_us),
          .frame_gap = microseconds(frame_gap_us),
          .relayed = relay};
}

static void describe_surroundings(CLI::App& verb, SimulateOptions& options) {
  const auto time = [&verb](const char* name, double& microseconds, const char* what) {
    verb.add_option(name, microseconds, what)->type_name("US")->check(CLI::Range(0.0, 1e6));
  };
  time("--message-latency", options.message_latency_us,
       "microseconds that each message takes besides its bytes' time (default: 200)");
  time("--handover", options.handover_us,
       "microseconds from a node to its computing thread, for each tile (default: 0)");
  time("--frame-gap", options.frame_gap_us,
       "microseconds from a frame's end to the capture of the next, where they come back to back "
       "(default: 0)");
  verb.add_flag("--relay", options.relay,
                "the network's delay is that of a relay that ends connections, as in the lab");
}

void describe(CLI::App& verb, SimulateOptions& options) {
  verb.add_option("EXPERIMENT", options.file, "what to simulate (TOML; docs/use/simulate.md)")
      ->required()
      ->type_name("");
  verb.add_option("--seeds", options.seeds, "how many runs (default: the file's)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  verb.add_option("--seed", options.seed, "the first run's seed (default: the file's)")
      ->type_name("N");
  verb.add_option("--threads", options.threads, "runs at a time (default: this machine's cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  verb.add_option("--network", options.network,
                  "'fluid', 'ns3', or a program with its arguments (docs/develop/network_pipe.md)")
      ->type_name("NETWORK");
  verb.add_option("--audit", options.audit,
                  "the same on another network, and the difference beside each figure")
      ->type_name("NETWORK");
  verb.add_option("--page", options.page, "write the results with plots as one HTML page")
      ->type_name("FILE");
  verb.add_option("--trace", options.trace,
                  "write a trace of the first run, for 'shingle trace' or Perfetto")
      ->type_name("FILE");
  verb.add_option("--frames", options.frames,
                  "write a line for each frame: seed, source, when captured, latency, fate (CSV)")
      ->type_name("FILE");
  describe_surroundings(verb, options);
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer(
      "\nExamples:\n"
      "  shingle simulate examples/experiments/two_pis.toml\n"
      "  shingle simulate examples/experiments/six_on_wifi.toml --seeds 20 --page wifi.html\n"
      "  shingle simulate examples/experiments/six_on_wifi.toml --seeds 10 --audit ns3");
}

int run_verb(const SimulateOptions& options) {
  StopSignals signals;
  const auto network = network_simulator(options.network);
  if (!network) return fail(network.failure());
  const auto audit = network_simulator(options.audit.empty() ? "fluid" : options.audit);
  if (!audit) return fail(audit.failure());
  auto read = read_experiment(options.file);
  if (!read) return fail(read.failure());
  read->experiment.surroundings = options.surroundings();
  const Errand work{options, *read, signals, *network, *audit};
  const auto runs = run_first(work);
  if (!runs) return fail(runs.failure());
  const auto audited = run_audit(work, *runs);
  if (!audited) return fail(audited.failure());
  return finish(work, *runs, *audited);
}

}  // namespace shingle
