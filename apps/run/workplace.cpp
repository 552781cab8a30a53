#include "apps/run/workplace.hpp"

#include <algorithm>
#include <charconv>

#include "apps/cli/common_options.hpp"
#include "apps/cli/program_log.hpp"
#include "apps/client/patience.hpp"
#include "apps/node/broker_options.hpp"
#include "apps/run/further_model.hpp"

namespace shingle {
namespace {

Result<std::vector<double>> slow_factors(const RunOptions& options) {
  std::vector<double> factors(options.workers, 1.0);
  for (const std::string& text : options.slow_workers) {
    uint32_t worker = 0;
    double factor = 0.0;
    const char* end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, worker);
    const bool colon = number.ec == std::errc() && number.ptr != end && *number.ptr == ':';
    const auto rest = colon ? std::from_chars(number.ptr + 1, end, factor) : number;
    if (!colon || rest.ec != std::errc() || rest.ptr != end || worker >= options.workers ||
        !(factor >= 1.0 && factor <= 1000.0))
      return Error{"'" + text + "' is not WORKER:FACTOR, such as 0:4 (workers 0 to " +
                   std::to_string(options.workers - 1) + ", factors from 1 to 1000)"};
    factors[worker] = factor;
  }
  return factors;
}

Result<std::vector<ModelPath>> model_paths(const RunOptions& options) {
  const auto further = read_further_models(options.further_models);
  if (!further) return further.failure();
  std::vector<ModelPath> paths{options.model.where()};
  for (const FurtherModel& model : *further) paths.emplace_back(model.path);
  return paths;
}

constexpr std::chrono::seconds for_all{3}, for_anybody{30};

// Waits until what the members have said over their connections is enough, for at most `patience`
// and not once the user wants the run to stop.
template <class Enough>
void wait_for(const Workplace& place, std::chrono::seconds patience, StopSignals& signals,
              const Enough& enough) {
  constexpr std::chrono::milliseconds look{100};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end && !signals.asked() &&
         !enough(place.wires->words()))
    signals.asked(look);
}

using Words = std::map<NodeId, Result<Announcement>>;

bool anybody_computes(const Words& words) {
  return std::ranges::any_of(
      words, [](const auto& entry) { return entry.second.ok() && entry.second->computes; });
}

Status open_wires(Workplace& place, const RunOptions& options) {
  const Patience patience = patience_of(options.patience_seconds);
  auto wires = NodeWires::open({.cluster = place.cluster,
                                .id = place.owner,
                                .keys = options.admission.folder(),
                                .insecure = options.admission.insecure,
                                .silence_allowed = std::max(patience.least, patience.most),
                                .computes = options.compute,
                                .announced = Announced{place.membership.get(), {}},
                                .log = program_log()});
  if (!wires) return Error{wires.error()};
  place.wires = std::move(*wires);
  place.wires->announce();
  return success();
}

// Who has come, and what they say themselves that they can do. Whoever comes later can stand in for
// them.
Status meet(Workplace& place, const RunOptions& options, StopSignals& signals) {
  const std::string& broker = options.broker.uri;
  if (const Status status = open_wires(place, options); !status) return status;
  const size_t others = place.cluster.nodes.size() - 1;
  wait_for(place, for_all, signals, [&](const Words& words) { return words.size() == others; });
  if (!anybody_computes(place.wires->words()))
    note("no node is at " + broker + " yet; waiting up to " + std::to_string(for_anybody.count()) +
         " s for one");
  wait_for(place, for_anybody, signals, anybody_computes);
  if (signals.asked()) return Error{"stopped before the nodes were there"};
  const Words words = place.wires->words();
  const Confirmed there = confirmed(words, place.membership->present());
  for (const std::string& doubt : there.doubts) note(doubt);
  if (!anybody_computes(words))
    return Error{"no node announced itself at " + broker + " and came within " +
                 std::to_string(for_anybody.count()) + " s; is 'shingle node --broker' running?"};
  for (ClusterFileNode& node : place.cluster.nodes) {
    const auto found = there.members.find(node.id);
    if (found != there.members.end() && found->second.computes)
      node = found->second.node;
    else if (node.id != place.owner)
      place.absent.push_back(node.id);
  }
  return success();
}

Result<Workplace> chosen_workplace(const RunOptions& options, StopSignals& signals) {
  if (options.cluster.empty() && options.broker.uri.empty()) {
    if (options.id) return usage_error("--id is for a cluster: name it with --cluster or --broker");
    const auto slow = slow_factors(options);
    if (!slow) return usage_error(slow.error());
    const auto models = model_paths(options);
    if (!models) return models.failure();
    auto workers = LocalWorkers::start({.count = options.workers,
                                        .threads = options.threads,
                                        .models = *models,
                                        .max_constants = options.model.max_constants,
                                        .slow = *slow,
                                        .executor = options.executor,
                                        .packed = options.packed,
                                        .memory = options.memory});
    if (!workers) return Error{workers.error()};
    const ClusterFile cluster = workers->cluster();
    const NodeId owner = workers->owner();
    return Workplace{cluster, owner, std::move(*workers)};
  }
  if (!options.id)
    return usage_error(
        "say with --id which node of " +
        (options.cluster.empty() ? "the list of keys" : "'" + options.cluster + "'") + " this is");
  const NodeId owner{*options.id};
  auto members = members_of(options.cluster, options.broker, options.admission, owner);
  if (!members) return members.failure();
  Workplace place{std::move(*members), owner, std::nullopt};
  auto membership = open_membership(options.broker, place.cluster, owner);
  if (!membership) return membership.failure();
  place.membership = std::move(*membership);
  if (options.cluster.empty())
    if (const Status met = meet(place, options, signals); !met) return met.failure();
  return place;
}

}  // namespace

Result<Workplace> workplace_of(const RunOptions& options, StopSignals& signals) {
  int64_t cap = 0;
  if (!options.memory.empty()) {
    const auto bytes = memory_cap(options.memory);
    if (!bytes) return usage_error(bytes.error());
    cap = *bytes;
  }
  auto chosen = chosen_workplace(options, signals);
  if (!chosen) return chosen;
  for (ClusterFileNode& node : chosen->cluster.nodes) {
    if (cap > 0 && !(chosen->workers && node.id == chosen->owner)) node.memory_bytes = cap;
  }
  return chosen;
}

Cluster computing_nodes(const RunOptions& options, const Workplace& place) {
  Cluster cluster = planner_cluster(place.cluster);
  std::erase_if(cluster.nodes, [&](const ClusterNode& node) {
    const auto& absent = place.absent;
    return (node.id == place.owner && !options.compute) ||
           std::find(absent.begin(), absent.end(), node.id) != absent.end();
  });
  return cluster;
}

}  // namespace shingle
