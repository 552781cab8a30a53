#include "apps/client/workplace.hpp"

#include <algorithm>
#include <csignal>
#include <mutex>

namespace shingle {
namespace {

using Words = std::map<NodeId, Result<Announcement>>;

constexpr std::chrono::seconds for_all{3}, for_anybody{30};

// Waits until what the members have said over their connections is enough, for at most `patience`
// and not once nobody wants it. False: nobody wants it.
template <class Enough>
bool wait_for(const Workplace& place, const WorkplaceOptions& options,
              std::chrono::seconds patience, const Enough& enough) {
  constexpr std::chrono::milliseconds look{100};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end && !enough(place.wires->words()))
    if (options.is_unwanted(look)) return false;
  return !options.is_unwanted(std::chrono::milliseconds(0));
}

bool anybody_computes(const Words& words) {
  return std::ranges::any_of(
      words, [](const auto& entry) { return entry.second.ok() && entry.second->computes; });
}

Status open_wires(Workplace& place, const WorkplaceOptions& options) {
  auto wires =
      NodeWires::open({.cluster = place.cluster,
                       .id = place.owner,
                       .keys = options.admission.folder(),
                       .insecure = options.admission.insecure,
                       .sets_up_process = options.sets_up_process,
                       .silence_allowed = std::max(options.patience.least, options.patience.most),
                       .computes = options.computes,
                       .announced = Announced{place.membership.get(), {}},
                       .log = options.log});
  if (!wires) return wires.failure();
  place.wires = std::move(*wires);
  place.wires->announce();
  return success();
}

// Who has come, and what they say themselves that they can do. Whoever comes later can stand in for
// them.
Status meet(Workplace& place, const WorkplaceOptions& options) {
  const std::string& broker = options.broker.uri;
  if (const Status status = open_wires(place, options); !status) return status;
  const size_t others = place.cluster.nodes.size() - 1;
  bool wanted =
      wait_for(place, options, for_all, [&](const Words& words) { return words.size() == others; });
  if (wanted && !anybody_computes(place.wires->words())) {
    options.note("no node is at " + broker + " yet; waiting up to " +
                 std::to_string(for_anybody.count()) + " s for one");
    wanted = wait_for(place, options, for_anybody, anybody_computes);
  }
  if (!wanted) return Error{"stopped before the nodes were there"};
  const Words words = place.wires->words();
  const Confirmed there = confirmed(words, place.membership->present());
  for (const std::string& doubt : there.doubts) options.note(doubt);
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

Result<Workplace> own_workers(const WorkplaceOptions& options) {
  if (options.id) return usage_error("--id is for a cluster: name it with --cluster or --broker");
  auto workers = LocalWorkers::start(options.workers);
  if (!workers) return workers.failure();
  const ClusterFile cluster = workers->cluster();
  const NodeId owner = workers->owner();
  return Workplace{cluster, owner, std::move(*workers)};
}

// Where the process is somebody else's, what it does at SIGPIPE is put back: the library for MQTT
// ignores it for the whole process. Its threads block the signal (transport/mqtt), so they need no
// more. One at a time, so that nobody keeps what another one is about to put back.
Result<std::unique_ptr<Membership>> joined_at_broker(const ClusterFile& cluster, NodeId owner,
                                                     const WorkplaceOptions& options) {
  if (options.broker.uri.empty()) return std::unique_ptr<Membership>();
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  struct sigaction before {};
  ::sigaction(SIGPIPE, nullptr, &before);
  auto membership = open_membership(options.broker, cluster, owner, options.log);
  if (!options.sets_up_process) ::sigaction(SIGPIPE, &before, nullptr);
  return membership;
}

Result<Workplace> chosen_workplace(const WorkplaceOptions& options) {
  if (options.cluster.empty() && options.broker.uri.empty()) return own_workers(options);
  if (!options.id)
    return usage_error(
        "say with --id which node of " +
        (options.cluster.empty() ? "the list of keys" : "'" + options.cluster + "'") + " this is");
  const NodeId owner{*options.id};
  auto members = members_of(options.cluster, options.broker, options.admission, owner);
  if (!members) return members.failure();
  Workplace place{std::move(*members), owner, std::nullopt};
  auto membership = joined_at_broker(place.cluster, owner, options);
  if (!membership) return membership.failure();
  place.membership = std::move(*membership);
  if (options.cluster.empty())
    if (const Status met = meet(place, options); !met) return met.failure();
  return place;
}

}  // namespace

Result<Workplace> open_workplace(const WorkplaceOptions& options) {
  auto chosen = chosen_workplace(options);
  if (!chosen || options.memory_bytes == 0) return chosen;
  for (ClusterFileNode& node : chosen->cluster.nodes)
    if (!(chosen->workers && node.id == chosen->owner)) node.memory_bytes = options.memory_bytes;
  return chosen;
}

Cluster computing_nodes(const Workplace& place, bool owner_computes) {
  Cluster cluster = planner_cluster(place.cluster);
  std::erase_if(cluster.nodes, [&](const ClusterNode& node) {
    return (node.id == place.owner && !owner_computes) ||
           std::ranges::find(place.absent, node.id) != place.absent.end();
  });
  return cluster;
}

}  // namespace shingle
