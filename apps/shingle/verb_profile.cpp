// shingle profile: measures this machine and writes its device profile.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/cli/program_log.hpp"
#include "apps/client/session.hpp"
#include "apps/members/written_address.hpp"
#include "apps/node/core_choice.hpp"
#include "apps/shingle/profile_tiles.hpp"
#include "apps/shingle/verbs.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/process_memory.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/write_file.hpp"
#include "devices/files/cluster_file.hpp"
#include "devices/measure/profile_measure.hpp"
#include "transport/probe/link_probe.hpp"

namespace shingle {
namespace {

struct Measurements {
  Measured costs;
  double speedup = 1.0, memory_gbps = 0.0;
  std::optional<LinkSpeed> link;
};

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "this machine";
  return name;
}

// What is measured is not known better than to a thousandth.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3e", value);
  return std::strtod(text, nullptr);
}

void round_all(DeviceProfile& profile) {
  profile.memory_gbps = rounded(profile.memory_gbps);
  profile.speedup = std::min(rounded(profile.speedup), static_cast<double>(profile.cores));
  for (WorkCost& cost : profile.costs.costs) {
    cost.ns_per_mac = rounded(cost.ns_per_mac);
    cost.ns_per_element = rounded(cost.ns_per_element);
    cost.ns_per_weight = rounded(cost.ns_per_weight);
    cost.ns_per_call = rounded(cost.ns_per_call);
  }
}

nlohmann::ordered_json json_of(const LinkSpeed& link) {
  return {{"there_mbps", link.there_mbps},
          {"back_mbps", link.back_mbps},
          {"round_trip_us", link.round_trip_us}};
}

std::string json_of(const DeviceProfile& profile, const Measurements& measured, double seconds) {
  nlohmann::ordered_json json{{"name", profile.name},
                              {"threads", profile.cores},
                              {"gflops", gflops_of(profile.costs)},
                              {"speedup", profile.speedup},
                              {"memory_gbps", profile.memory_gbps},
                              {"seconds", seconds}};
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    const WorkCost& cost = profile.costs.costs[kind];
    json["cost"][name_of(static_cast<WorkKind>(kind))] = {
        {"ns_per_mac", cost.ns_per_mac},
        {"ns_per_element", cost.ns_per_element},
        {"ns_per_weight", cost.ns_per_weight},
        {"ns_per_call", cost.ns_per_call},
        {"granule", {cost.granule.y, cost.granule.x, cost.granule.c}},
        {"worst_error", measured.costs.worst_error[kind]}};
  }
  if (measured.link) json["link"] = json_of(*measured.link);
  return json.dump() + "\n";
}

MeasureOptions measuring(const ProfileOptions& options, uint32_t threads) {
  return {.make_executor =
              [=] {
                return make_executor(
                           {.name = options.executor, .threads = threads, .log = program_log()})
                    .value();
              },
          .now = now};
}

Result<Measurements> measure_here(const ProfileOptions& options, uint32_t threads) {
  std::optional<Progress> shown;
  MeasureOptions all_threads = measuring(options, threads);
  all_threads.on_progress = [&](size_t done, size_t of) {
    if (!shown) shown.emplace(of, stderr_is_terminal());
    shown->done(done);
  };
  Measurements result;
  const auto costs = measure(all_threads);
  if (shown) shown->clear();
  if (!costs) return Error{costs.error()};
  result.costs = *costs;
  if (threads > 1) {
    const auto speedup = measure_speedup(measuring(options, 1), all_threads);
    if (!speedup) return Error{speedup.error()};
    result.speedup = std::min(*speedup, static_cast<double>(threads));
  }
  result.memory_gbps = measure_memory_gbps(now);
  return result;
}

DeviceProfile profile_of(const Measurements& measured, uint32_t threads) {
  DeviceProfile profile{.name = host_name(),
                        .cores = static_cast<int32_t>(threads),
                        .speedup = measured.speedup,
                        .memory_bytes = physical_memory(),
                        .memory_gbps = measured.memory_gbps,
                        .costs = measured.costs.costs};
  // What a cluster file says of a link is its line rate, of which TCP gets a share.
  if (measured.link)
    profile.link_mbps =
        rounded(std::min(measured.link->there_mbps, measured.link->back_mbps) / goodput_share);
  round_all(profile);
  return profile;
}

// The other end of a peer's --peer.
int answer(const ProfileOptions& options) {
  const WrittenAddress at = *read_address(options.answer);
  auto answerer = LinkAnswerer::listen(at.host, at.port);
  if (!answerer) return fail(Exit::runtime, answerer.error());
  const Status done = answerer->answer(std::chrono::minutes(1));
  return done ? 0 : fail(Exit::runtime, done.error());
}

}  // namespace

void describe(CLI::App& verb, ProfileOptions& options) {
  verb.add_option("--threads", options.threads, "threads for each tile (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  describe_cores(verb, options.cores);
  verb.add_option("--executor", options.executor, "native, xnnpack or reference (default: native)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"native", "xnnpack", "reference"}));
  verb.add_option("--out", options.out, "write the profile here instead of to stdout")
      ->type_name("FILE");
  auto* peer = verb.add_option("--peer", options.peer,
                               "measure the link to the machine that answers at this address")
                   ->type_name("ADDRESS:PORT");
  verb.add_option("--answer", options.answer,
                  "measure nothing; answer one peer's measurement at this address")
      ->type_name("ADDRESS:PORT")
      ->excludes(peer);
  verb.add_flag("--insecure", options.insecure, "talk to other machines without encryption");
  verb.add_flag("--json", options.json, "one JSON object on stdout, with the errors of the fit");
  describe_tiles(verb, options.tiles);
  verb.footer(
      "\nExamples:\n"
      "  shingle profile --out this-board.toml          then in the cluster file:\n"
      "                                                 profile = \"this-board.toml\"\n"
      "  shingle profile --threads 1 --json\n"
      "  shingle profile --cores big --out this-board.toml\n"
      "  shingle profile --answer 10.0.0.7:7100 --insecure     on one board, and on another\n"
      "  shingle profile --peer 10.0.0.7:7100 --insecure       also measures what joins them");
}

int run_verb(const ProfileOptions& options) {
  if (is_about_tiles(options.tiles)) return run_tiles(options);
  for (const std::string& address : {options.peer, options.answer})
    if (!address.empty())
      if (const Status status = refuse_address(address, options.insecure); !status)
        return fail(status.failure());
  if (!options.answer.empty()) return answer(options);
  const auto begin = now();
  const auto taken =
      take_cores(options.cores, options.threads, std::max(1U, std::thread::hardware_concurrency()));
  if (!taken) return fail(Exit::usage, taken.error());
  const uint32_t threads = *taken;
  std::optional<LinkSpeed> link;
  if (!options.peer.empty()) {
    const WrittenAddress at = *read_address(options.peer);
    const auto measured = measure_link(at.host, at.port, std::chrono::seconds(2));
    if (!measured) return fail(Exit::runtime, measured.error());
    link = *measured;
  }
  auto measured = measure_here(options, threads);
  if (!measured) return fail(Exit::runtime, measured.error());
  measured->link = link;
  DeviceProfile profile = profile_of(*measured, threads);
  profile.run_on = options.cores;
  const std::string text = print(profile);
  if (!options.out.empty()) {
    const Status written = write_file(options.out, std::as_bytes(std::span(text)));
    if (!written) return fail(Exit::runtime, written.error());
  }
  const double seconds = static_cast<double>((now() - begin).count()) * 1e-9;
  if (options.json) return print(json_of(profile, *measured, seconds));
  return options.out.empty() ? print(text) : 0;
}

}  // namespace shingle
