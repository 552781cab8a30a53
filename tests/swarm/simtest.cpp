// shingle-simtest: whole clusters in virtual time, one for each seed, until a promise breaks.
//
//   shingle-simtest --seeds 1000             seeds 1 to 1000
//   shingle-simtest --seeds 1 --seed 4711    that one, with its trace
//   shingle-simtest --seeds 200 --machines 8 --json
//   --no-faults, --full (real tensors through the reference executor)
//   --large (as one seed in fifty is: up to 16 machines, 4 owners, 4 models, 200 frames a stream)
//   --first-draws (what seeds drew before 2026-11-22: no lasting faults, lies, planner's plans)
//   --all-networks (also networks with products of two values, sorts and reads at indices)
//   shingle-simtest --seeds 200 --detection  how soon faults are noticed instead, of 100 cases 99
//   shingle-simtest --seeds 200 --costs      what audits and false suspicions cost instead
//   shingle-simtest --seeds 200 --drivers    whole processes instead of nodes: driver_swarm.hpp
//
// A failing seed prints what broke and the line that replays it. Exit code 1 if any seed failed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sim/random.hpp"
#include "tests/swarm/costs.hpp"
#include "tests/swarm/detection.hpp"
#include "tests/swarm/driver_swarm.hpp"
#include "tests/swarm/swarm.hpp"

namespace {

using namespace shingle;

struct Arguments {
  uint64_t seeds = 100, first = 1;
  bool json = false, detection = false, costs = false, drivers = false, good = true;
  swarm::Options run;
};

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const auto is = [&](const char* word) { return std::strcmp(words[i], word) == 0; };
    const auto number = [&] { return i + 1 < count ? std::strtoull(words[++i], nullptr, 10) : 0; };
    if (is("--seeds"))
      arguments.seeds = number();
    else if (is("--seed"))
      arguments.first = number();
    else if (is("--machines"))
      arguments.run.machines = static_cast<uint32_t>(number());
    else if (is("--json"))
      arguments.json = true;
    else if (is("--no-faults"))
      arguments.run.faults = false;
    else if (is("--large"))
      arguments.run.large = true;
    else if (is("--first-draws"))
      arguments.run.first_draws = true;
    else if (is("--all-networks"))
      arguments.run.operators = networks::DrawnOperators::all;
    else if (is("--detection"))
      arguments.detection = true;
    else if (is("--costs"))
      arguments.costs = true;
    else if (is("--drivers"))
      arguments.drivers = true;
    else if (is("--full"))
      arguments.run.contents = sim::Contents::full;
    else
      arguments.good = false;
  }
  arguments.good = arguments.good && arguments.seeds > 0 && arguments.run.machines <= 64;
  return arguments;
}

struct Totals {
  size_t core = 0, never_ready = 0, large = 0, abandoned = 0, lied = 0, rotations = 0, replans = 0;
  networks::PlanKinds plans;
  uint64_t failed = 0, trace_hash = 0, faults = 0, stolen = 0;
  size_t captured = 0, delivered = 0, dropped = 0, aborted = 0, orphaned = 0;
  double virtual_s = 0.0;
};

void add(Totals& totals, const swarm::Verdict& verdict) {
  totals.core += verdict.core_liveness_violations;
  totals.never_ready += verdict.never_ready;
  totals.large += verdict.large ? 1 : 0;
  totals.abandoned += verdict.abandoned ? 1 : 0;
  totals.lied += verdict.lied ? 1 : 0;
  totals.rotations += verdict.rotations;
  totals.replans += verdict.replans;
  totals.plans += verdict.plans;
  totals.failed += verdict.violations.empty() ? 0 : 1;
  totals.trace_hash = sim::mix(totals.trace_hash, verdict.trace_hash);
  totals.faults += verdict.faults;
  totals.stolen += verdict.stolen;
  totals.captured += verdict.captured;
  totals.delivered += verdict.delivered;
  totals.dropped += verdict.dropped;
  totals.aborted += verdict.aborted;
  totals.orphaned += verdict.orphaned;
  totals.virtual_s += std::chrono::duration<double>(verdict.virtual_time).count();
}

void tell_failure(const Arguments& arguments, uint64_t seed, const swarm::Verdict& verdict) {
  for (const std::string& violation : verdict.violations)
    std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed),
                 violation.c_str());
  std::string replay = "shingle-simtest --seeds 1 --seed " + std::to_string(seed);
  if (arguments.run.machines > 0) replay += " --machines " + std::to_string(arguments.run.machines);
  if (arguments.run.large) replay += " --large";
  if (arguments.run.first_draws) replay += " --first-draws";
  if (arguments.run.operators == networks::DrawnOperators::all) replay += " --all-networks";
  if (!arguments.run.faults) replay += " --no-faults";
  if (arguments.run.contents == sim::Contents::full) replay += " --full";
  std::fprintf(stderr, "replay: %s\n", replay.c_str());
}

// Keys as programs read them, and words for people, in one order.
void print(const Arguments& arguments, const Totals& totals, double wall_s) {
  const std::pair<const char*, double> figures[] = {
      {"seeds", static_cast<double>(arguments.seeds)},
      {"first", static_cast<double>(arguments.first)},
      {"violations", static_cast<double>(totals.failed)},
      {"core_liveness_violations", static_cast<double>(totals.core)},
      {"on_plans_never_ready", static_cast<double>(totals.never_ready)},
      {"large_seeds", static_cast<double>(totals.large)},
      {"seeds_with_lasting_faults", static_cast<double>(totals.abandoned)},
      {"seeds_with_lies", static_cast<double>(totals.lied)},
      {"faults", static_cast<double>(totals.faults)},
      {"captured", static_cast<double>(totals.captured)},
      {"delivered", static_cast<double>(totals.delivered)},
      {"dropped", static_cast<double>(totals.dropped)},
      {"aborted", static_cast<double>(totals.aborted)},
      {"orphaned", static_cast<double>(totals.orphaned)},
      {"stolen", static_cast<double>(totals.stolen)},
      {"blocks", static_cast<double>(totals.plans.blocks)},
      {"channel_tiles", static_cast<double>(totals.plans.channel_tiles)},
      {"winograd_layers", static_cast<double>(totals.plans.winograd_layers)},
      {"rotations", static_cast<double>(totals.rotations)},
      {"replans", static_cast<double>(totals.replans)},
      {"seeds_per_s", std::round(10.0 * static_cast<double>(arguments.seeds) / wall_s) / 10.0},
      {"realtime", std::round(totals.virtual_s / wall_s)}};
  if (arguments.json) std::printf("{");
  for (const auto& [key, value] : figures)
    std::printf(arguments.json ? "\"%s\": %.12g, " : "%-26s %.12g\n", key, value);
  std::printf(arguments.json ? "\"trace_hash\": \"%016llx\"}\n" : "trace_hash  %016llx\n",
              static_cast<unsigned long long>(totals.trace_hash));
}

struct Delays {
  std::vector<Duration> all{};
  size_t missed = 0;

  double percentile_ms() const {
    if (all.empty()) return 0.0;
    return std::chrono::duration<double, std::milli>(swarm::percentile(all, 99)).count();
  }
};

int report_detection(const Arguments& arguments) {
  Delays crash, silence, used_again;
  for (uint64_t i = 0; i < arguments.seeds; ++i)
    for (const swarm::Fault fault :
         {swarm::Fault::crash, swarm::Fault::hang, swarm::Fault::one_way}) {
      const swarm::Detection found = swarm::detect(arguments.first + i, fault);
      Delays& delays = fault == swarm::Fault::crash ? crash : silence;
      delays.all.insert(delays.all.end(), found.noticed.begin(), found.noticed.end());
      delays.missed += found.missed;
      if (found.used_again) used_again.all.push_back(*found.used_again);
      used_again.missed += found.used_again ? 0 : 1;
    }
  const size_t missed = crash.missed + silence.missed + used_again.missed;
  std::printf(
      arguments.json
          ? "{\"detect_crash_ms\": %.1f, \"detect_hang_ms\": %.1f, \"used_again_ms\": %.1f, "
            "\"cases\": %zu, \"missed\": %zu}\n"
          : "a crash is noticed within %.1f ms, a hang or one-way wire within %.1f ms, a node is "
            "used again within %.1f ms, of 100 cases 99; %zu cases, %zu missed\n",
      crash.percentile_ms(), silence.percentile_ms(), used_again.percentile_ms(),
      crash.all.size() + silence.all.size() + used_again.all.size(), missed);
  return missed == 0 ? 0 : 1;
}

int report_costs(const Arguments& arguments) {
  std::vector<double> ratios;
  Delays connection, silence;
  for (uint64_t seed = arguments.first; seed < arguments.first + arguments.seeds; ++seed) {
    ratios.push_back(swarm::audited_throughput(seed, 0.02));
    connection.all.push_back(swarm::delay_of(seed, swarm::Suspicion::of_connection));
    silence.all.push_back(swarm::delay_of(seed, swarm::Suspicion::of_silence));
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf(arguments.json ? "{\"audited_throughput\": %.3f, \"worst_audited_throughput\": %.3f, "
                               "\"suspicion_delay_ms\": %.1f, \"silence_delay_ms\": %.1f}\n"
                             : "with 2 %% of the tiles audited %.3f of the frames come, %.3f at "
                               "worst; one false suspicion delays a frame by %.1f ms, after a "
                               "silence by %.1f ms, of 100 cases 99\n",
              ratios[ratios.size() / 2], ratios.front(), connection.percentile_ms(),
              silence.percentile_ms());
  return 0;
}

void tell_driver_failure(const Arguments& arguments, uint64_t seed,
                         const swarm::DriverVerdict& verdict) {
  const auto number = static_cast<unsigned long long>(seed);
  for (const std::string& violation : verdict.violations)
    std::fprintf(stderr, "driver seed %llu: %s\n", number, violation.c_str());
  std::fprintf(stderr, "replay: shingle-simtest --drivers --seeds 1 --seed %llu%s\n", number,
               arguments.run.faults ? "" : " --no-faults");
}

int report_drivers(const Arguments& arguments) {
  swarm::DriverVerdict sum;
  uint64_t failed = 0, with_core = 0;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t seed = arguments.first; seed < arguments.first + arguments.seeds; ++seed) {
    const swarm::DriverVerdict verdict =
        swarm::run_drivers({.seed = seed, .mischief = arguments.run.faults});
    if (!verdict.violations.empty()) tell_driver_failure(arguments, seed, verdict);
    failed += verdict.violations.empty() ? 0 : 1;
    with_core += verdict.has_core ? 1 : 0;
    sum.captured += verdict.captured;
    sum.delivered += verdict.delivered;
    sum.ended_otherwise += verdict.ended_otherwise;
    sum.died += verdict.died;
    sum.strikes += verdict.strikes;
    sum.switches += verdict.switches;
    sum.lives += verdict.lives;
    sum.lost_connections += verdict.lost_connections;
    sum.refused_messages += verdict.refused_messages;
    sum.hash = sim::mix(sum.hash, verdict.hash);
    sum.longest_delay = std::max(sum.longest_delay, verdict.longest_delay);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const char* form =
      arguments.json
          ? "{\"driver_seeds\": %llu, \"violations\": %llu, \"strikes\": %llu, \"with_core\": "
            "%llu, \"captured\": %zu, \"delivered\": %zu, \"ended\": %zu, \"died\": %zu, "
            "\"switches\": %llu, \"lives\": %llu, \"lost_connections\": %llu, "
            "\"refused_messages\": %llu, \"longest_delay_s\": %.2f, \"seeds_per_s\": %.2f, "
            "\"trace_hash\": \"%016llx\"}\n"
          : "%llu driver seeds: %llu failed; %llu strikes, %llu clusters that were left with a "
            "core\nframes: %zu captured, %zu delivered, %zu ended otherwise, %zu died with their "
            "owner; %llu changes of plans; %llu lives, %llu connections lost, %llu messages "
            "refused\nlongest delay once settled %.2f s; %.2f seeds/s, trace hash %016llx\n";
  using Number = unsigned long long;
  std::printf(form, Number{arguments.seeds}, Number{failed}, Number{sum.strikes}, Number{with_core},
              sum.captured, sum.delivered, sum.ended_otherwise, sum.died, Number{sum.switches},
              Number{sum.lives}, Number{sum.lost_connections}, Number{sum.refused_messages},
              std::chrono::duration<double>(sum.longest_delay).count(),
              static_cast<double>(arguments.seeds) / wall.count(), Number{sum.hash});
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments = parse(count, words);
  if (!arguments.good) {
    std::fputs(
        "usage: shingle-simtest [--seeds N] [--seed S] [--machines N] [--no-faults] [--full] "
        "[--large] [--first-draws] [--all-networks] [--detection] [--costs] [--drivers] "
        "[--json]\n",
        stderr);
    return 2;
  }
  if (arguments.detection) return report_detection(arguments);
  if (arguments.drivers) return report_drivers(arguments);
  if (arguments.costs) return report_costs(arguments);
  arguments.run.keep_trace = arguments.seeds == 1 && !arguments.json;
  Totals totals;
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < arguments.seeds; ++i) {
    arguments.run.seed = arguments.first + i;
    const swarm::Verdict verdict = swarm::run(arguments.run);
    if (arguments.run.keep_trace)
      for (const std::string& fault : verdict.story) std::puts(fault.c_str());
    for (const TraceEvent& event : verdict.trace) std::puts(line_of(event).c_str());
    if (!verdict.violations.empty()) tell_failure(arguments, arguments.run.seed, verdict);
    add(totals, verdict);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  print(arguments, totals, wall.count());
  return totals.failed == 0 ? 0 : 1;
}
