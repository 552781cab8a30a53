#include "apps/sweep/sweep_verb.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <thread>

#include "apps/sweep/run_sweep.hpp"
#include "apps/sweep/sweep_report.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/stop_signals.hpp"
#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

Status save(const std::string& path, const std::string& text) {
  return path.empty() ? success() : write_file(path, std::as_bytes(std::span(text)));
}

// One sentence if there is nothing to compare.
Status check_feasible(const SweepHeader& header, const sim::SweepAnalysis& analysis) {
  if (!analysis.feasible.empty()) return success();
  const auto& results = header.table.results;
  if (results.empty()) return Error{"no design was run yet"};
  return bad_input(std::string("no feasible design: of ") + std::to_string(results.size()) +
                   " none has a result; the first: " + results.front().failure);
}

int report(const SweepOptions& options, const SweepHeader& header) {
  const sim::SweepAnalysis analysis = analyse(header.table);
  if (const Status feasible = check_feasible(header, analysis); !feasible)
    return fail(feasible.failure());
  for (const auto& [path, text] :
       {std::pair(options.page, options.page.empty() ? "" : sweep_page(header, analysis)),
        std::pair(options.csv, options.csv.empty() ? "" : report_csv(header, analysis)),
        std::pair(options.lines, options.lines.empty() ? "" : report_lines(header, analysis))})
    if (const Status saved = save(path, text); !saved) return fail(saved.failure());
  return print(options.json ? report_json(header, analysis)
                                      .dump(-1, ' ', false,
                                            nlohmann::ordered_json::error_handler_t::replace) +
                                  "\n"
                            : report_text(header, analysis));
}

int merge(const SweepOptions& options) {
  if (!options.file.empty())
    return fail(Exit::usage, "--merge reads a folder of results: leave the file out");
  std::vector<std::string> notes;
  const auto merged = merge_results(options.merge, notes);
  for (const std::string& sentence : notes) note(sentence);
  if (!merged) return fail(merged.failure());
  const size_t done = merged->table.results.size();
  if (done < merged->table.wanted)
    note(std::string("the folder has ") + std::to_string(done) + " of " +
         std::to_string(merged->table.wanted) +
         " designs: run the shards that are missing, or go on with those that were interrupted");
  return report(options, *merged);
}

// "a_sweep.results" for "examples/experiments/a_sweep.toml".
std::string folder_of(const SweepOptions& options) {
  return options.folder.empty() ? std::filesystem::path(options.file).stem().string() + ".results"
                                : options.folder;
}

int sweep(const SweepOptions& options, StopSignals& signals) {
  const auto shard = shard_of(options.shard, [](const char* name) { return std::getenv(name); });
  if (!shard) return fail(shard.failure());
  const auto prepared = prepare_sweep(options.file);
  if (!prepared) return fail(prepared.failure());
  const auto size = size_of(*prepared, *shard);
  if (!size) return fail(size.failure());
  SweepHeader header = header_of(*prepared, size->designs);
  const std::string folder = folder_of(options);
  std::vector<std::string> notes;
  auto store = ResultStore::open(folder, header, *shard, notes);
  for (const std::string& sentence : notes) note(sentence);
  if (!store) return fail(store.failure());
  Progress progress(size->here, stderr_is_terminal() && !options.json, "designs");
  auto outcome = run_sweep(
      *prepared, *store,
      {.threads = options.threads.value_or(std::max(1U, std::thread::hardware_concurrency())),
       .shard = *shard,
       .go_on = [&](size_t done) {
         progress.done(done);
         return !signals.asked();
       }});
  progress.clear();
  if (!outcome) return fail(outcome.failure());
  const std::string part =
      std::to_string(outcome->results.size()) + " of " + std::to_string(size->here) + " designs";
  if (outcome->stopped)
    return fail(Exit::runtime, "stopped by a signal: " + part + " are done and lie in " + folder +
                                   "; the same command goes on from there");
  if (outcome->from_before > 0)
    note(std::to_string(outcome->from_before) + " results come from before: they lay in " + folder);
  if (shard->size > 1) {
    note(std::string("part ") + std::to_string(shard->rank + 1) + " of " +
         std::to_string(shard->size) + " (" + shard->source + "): " + part +
         "; 'shingle sweep --merge " + folder + "' puts the parts together");
    return static_cast<int>(Exit::ok);
  }
  header.table.results = std::move(outcome->results);
  return report(options, header);
}

}  // namespace

void describe(CLI::App& verb, SweepOptions& options) {
  verb.add_option("SWEEP", options.file, "what to vary (TOML; docs/use/simulate.md)")
      ->type_name("");
  verb.add_option("--merge", options.merge, "report the results in a folder; runs nothing")
      ->type_name("FOLDER");
  verb.add_option("--folder", options.folder,
                  "keeps results, so that the same command goes on where it was interrupted "
                  "(default: the file's name with .results, here)")
      ->type_name("FOLDER");
  verb.add_option("--shard", options.shard,
                  "run one part of several, such as 2/4 (default: as MPI's launcher or Slurm says)")
      ->type_name("I/N");
  verb.add_option("--threads", options.threads, "designs at a time (default: this machine's cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  verb.add_option("--page", options.page, "write the results with plots as one HTML page")
      ->type_name("FILE");
  verb.add_option("--csv", options.csv, "write a line for each design")->type_name("FILE");
  verb.add_option("--lines", options.lines, "write a line of JSON for each design")
      ->type_name("FILE");
  verb.add_flag("--json", options.json, "one JSON object on stdout");
  verb.footer(
      "\nExamples:\n"
      "  shingle sweep examples/experiments/a_sweep.toml --page sweep.html\n"
      "  mpirun -n 4 shingle sweep big.toml --folder /shared/big\n"
      "  shingle sweep --merge /shared/big --page big.html");
}

int run_verb(const SweepOptions& options) {
  if (options.file.empty() && options.merge.empty())
    return fail(Exit::usage, "what to sweep? Give a file, or --merge and a folder of results");
  if (!options.merge.empty()) return merge(options);
  StopSignals signals;
  return sweep(options, signals);
}

}  // namespace shingle
