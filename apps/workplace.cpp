#include "apps/workplace.hpp"

#include <algorithm>
#include <charconv>

#include "apps/broker_wishes.hpp"

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
      return Error{"'" + text + "' slows no worker; write WORKER:FACTOR, as 0:4 (workers 0 to " +
                   std::to_string(options.workers - 1) + ", factors from 1 to 1000)"};
    factors[worker] = factor;
  }
  return factors;
}

constexpr std::chrono::seconds for_all{3}, for_anybody{30};

void wait_for(const Membership& membership, std::chrono::seconds patience, StopSignals& signals,
              const Membership::Enough& enough) {
  constexpr std::chrono::milliseconds look{100};  // at the signals, so often
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end && !signals.asked())
    if (membership.wait_for(look, enough)) return;
}

// Who has announced himself, and what they can do. Whoever comes later can stand in for them.
std::optional<Failure> meet(Workplace& place, const std::string& broker, StopSignals& signals) {
  const size_t others = place.cluster.nodes.size() - 1;
  wait_for(*place.membership, for_all, signals,
           [&](const std::vector<Announcement>& there) { return there.size() == others; });
  const auto anybody = [](const std::vector<Announcement>& there) {
    return std::ranges::any_of(there, &Announcement::computes);
  };
  if (!anybody(place.membership->present()))
    note("no node is at " + broker + " yet; waiting up to " + std::to_string(for_anybody.count()) +
         " s for one");
  wait_for(*place.membership, for_anybody, signals, anybody);
  if (signals.asked()) return Failure{Exit::runtime, "stopped before the nodes were there"};
  auto there = place.membership->present();
  std::erase_if(there, [](const Announcement& each) { return !each.computes; });
  if (there.empty())
    return Failure{Exit::runtime, "no node announced itself at " + broker + " within " +
                                      std::to_string(for_anybody.count()) +
                                      " s; is 'shingle node --broker' running?"};
  for (ClusterFileNode& node : place.cluster.nodes) {
    const auto found = std::find_if(there.begin(), there.end(), [&](const Announcement& each) {
      return each.node.id == node.id;
    });
    if (found != there.end())
      node = found->node;
    else if (node.id != place.owner)
      place.absent.push_back(node.id);
  }
  return std::nullopt;
}

std::variant<Workplace, Failure> chosen_workplace(const RunOptions& options, StopSignals& signals) {
  if (options.cluster.empty() && options.broker.uri.empty()) {
    if (options.id)
      return Failure{Exit::usage, "--id is of a cluster: say with --cluster or --broker which"};
    const auto slow = slow_factors(options);
    if (!slow) return Failure{Exit::usage, slow.error()};
    auto workers = LocalWorkers::start({.count = options.workers,
                                        .threads = options.threads,
                                        .model = {options.model, options.weights},
                                        .slow = *slow,
                                        .executor = options.executor,
                                        .packed = options.packed,
                                        .memory = options.memory});
    if (!workers) return Failure{Exit::runtime, workers.error()};
    const ClusterFile cluster = workers->cluster();
    const NodeId owner = workers->owner();
    return Workplace{cluster, owner, std::move(*workers)};
  }
  if (!options.id)
    return Failure{Exit::usage, "say with --id which node of " +
                                    (options.cluster.empty() ? "the list of keys"
                                                             : "'" + options.cluster + "'") +
                                    " this is"};
  const NodeId owner{*options.id};
  auto members = members_of(options.cluster, options.broker, options.admission, owner);
  if (const auto* failure = std::get_if<Failure>(&members)) return *failure;
  Workplace place{std::move(std::get<ClusterFile>(members)), owner, std::nullopt};
  auto membership = open_membership(options.broker, place.cluster, owner);
  if (const auto* failure = std::get_if<Failure>(&membership)) return *failure;
  place.membership = std::move(std::get<0>(membership));
  if (options.cluster.empty())
    if (auto failure = meet(place, options.broker.uri, signals)) return std::move(*failure);
  return place;
}

}  // namespace

std::variant<Workplace, Failure> workplace_of(const RunOptions& options, StopSignals& signals) {
  int64_t cap = 0;
  if (!options.memory.empty()) {
    const auto bytes = memory_cap(options.memory);
    if (!bytes) return Failure{Exit::usage, bytes.error()};
    cap = *bytes;
  }
  auto chosen = chosen_workplace(options, signals);
  auto* place = std::get_if<Workplace>(&chosen);
  if (place == nullptr) return chosen;
  for (ClusterFileNode& node : place->cluster.nodes) {
    if (cap > 0 && !(place->workers && node.id == place->owner)) node.memory_bytes = cap;
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
