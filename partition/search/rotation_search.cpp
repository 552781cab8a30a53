#include "partition/search/rotation_search.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "partition/plan/program.hpp"
#include "partition/search/score.hpp"
#include "partition/simulation/plan_cost.hpp"

namespace shingle {
namespace {

// A rotation needs many open frames and makes single frames slow, so it must be clearly better.
constexpr double clearly = 0.99;

// Factors of the time that all nodes would need without any waiting. At the first one the search
// stops; at the second one, a search that starts from a rotation in use does not look for one plan
// for all nodes.
constexpr double at_the_bound = 1.01, near_the_bound = 1.05;

// All groups of one rotation together get this fraction of the allowance.
constexpr int64_t parts_of_allowance = 16;

// With more nodes, too many large groups would have to be searched.
constexpr size_t most_nodes = 16;

using Nodes = std::vector<size_t>;  // indices into the cluster, ascending

class RotationSearch {
 public:
  RotationSearch(const Model& model, const Cluster& cluster, const Goal& goal)
      : model_(model), cluster_(cluster), goal_(goal) {
    const WinogradUse winograd = worthwhile_winograd(cluster, goal);
    for (const NodeProfile& profile : profiles_of(cluster))
      speeds_.push_back(speed_of(model, profile, winograd));
  }

  // Searches one plan for all nodes.
  Status one(int64_t allowance) {
    auto found = find_plan(model_, cluster_, goal_, allowance);
    if (!found) return found.failure();
    Nodes all(cluster_.nodes.size());
    std::iota(all.begin(), all.end(), size_t{0});
    consider({{all, std::move(*found)}});
    return success();
  }

  // Searches rotations from the largest possible number of groups down to two, until nothing can be
  // gained.
  void in_turn(int64_t allowance) {
    if (goal_.kind != Goal::Kind::throughput || cluster_.nodes.size() > most_nodes) return;
    const size_t most = std::min({cluster_.nodes.size(), max_turns, size_t(goal_.open_frames)});
    for (size_t count = most; count > 1 && worse_than(at_the_bound); --count) {
      const std::vector<Nodes> groups = groups_of(count);
      const int64_t part = allowance / parts_of_allowance / std::ssize(groups);
      consider_each(groups, [&](const Nodes&, const Cluster& cluster, const Goal& goal) {
        return find_plan(model_, cluster, goal, part);
      });
    }
  }

  // Warm start from the previous rotation.
  void near(const std::vector<TurnOutline>& from, const std::vector<double>& speed_ups,
            int64_t allowance) {
    std::vector<Nodes> groups;
    for (const TurnOutline& turn : from) {
      groups.emplace_back();
      for (const NodeId node : turn.nodes) groups.back().push_back(index_of(cluster_, node));
    }
    size_t turn = 0;
    consider_each(groups, [&](const Nodes& nodes, const Cluster& cluster, const Goal& goal) {
      std::vector<double> some;
      for (const size_t node : nodes) some.push_back(speed_ups[node]);
      return find_plan_near(model_, cluster, goal, from[turn++].outline, some,
                            allowance / std::ssize(groups));
    });
  }

  // True if the time is worse by `factor` than what all nodes together need if none ever waits.
  bool worse_than(double factor) const {
    const double bound_ns = 1e9 / std::accumulate(speeds_.begin(), speeds_.end(), 0.0);
    return !best_ || in_nanoseconds(best_->stream.period) > factor * bound_ns;
  }

  Result<FoundRotation> best() {
    if (!best_) return Error{"no rotation was found that fits"};
    best_->trials = trials_;
    return std::move(*best_);
  }

 private:
  struct Group {
    Nodes nodes;
    Found found;
  };

  // Groups of about equal speed: the fastest remaining node joins the slowest group.
  std::vector<Nodes> groups_of(size_t count) const {
    Nodes ranked(speeds_.size());
    std::iota(ranked.begin(), ranked.end(), size_t{0});
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](size_t a, size_t b) { return speeds_[a] > speeds_[b]; });
    std::vector<Nodes> groups(count);
    std::vector<double> sums(count, 0.0);
    for (const size_t node : ranked) {
      const auto slowest = std::min_element(sums.begin(), sums.end()) - sums.begin();
      groups[static_cast<size_t>(slowest)].push_back(node);
      sums[static_cast<size_t>(slowest)] += speeds_[node];
    }
    for (Nodes& nodes : groups) std::sort(nodes.begin(), nodes.end());
    return groups;
  }

  template <class Find>
  void consider_each(const std::vector<Nodes>& groups, Find find) {
    std::vector<Group> found;
    for (const Nodes& nodes : groups) {
      Cluster cluster = cluster_;
      cluster.nodes.clear();
      for (const size_t node : nodes) cluster.nodes.push_back(cluster_.nodes[node]);
      Goal goal = goal_;
      const auto count = static_cast<int32_t>(groups.size());
      goal.open_frames = std::max(std::min(2, goal.open_frames), goal.open_frames / count);
      auto plan = find(nodes, cluster, goal);
      if (!plan) return;  // does not fit into memory
      found.push_back({nodes, std::move(*plan)});
    }
    consider(std::move(found));
  }

  void consider(std::vector<Group> groups) {
    std::vector<double> speeds;
    std::vector<TurnOutline> outlines;
    Rotation rotation;
    for (Group& group : groups) {
      trials_ += group.found.trials;
      speeds.push_back(1e9 / in_nanoseconds(group.found.stream.period));
      std::vector<NodeId> nodes;
      for (const size_t node : group.nodes) nodes.push_back(cluster_.nodes[node].id);
      outlines.push_back({std::move(nodes), std::move(group.found.outline)});
      rotation.push_back({std::move(group.found.plan)});
    }
    const std::vector<int32_t> shares = shares_for(speeds, max_share);
    for (size_t i = 0; i < rotation.size(); ++i) rotation[i].share = shares[i];
    if (!same_bits(rotation)) return;
    FoundRotation found = simulated(model_, cluster_, goal_, std::move(rotation));
    found.outlines = std::move(outlines);
    if (is_better(found)) best_ = std::move(found);
  }

  // A group in which no node gains by Winograd would be planned without it, so its results would
  // differ.
  static bool same_bits(const Rotation& rotation) {
    return std::all_of(rotation.begin(), rotation.end(), [&](const Turn& turn) {
      return same_algorithms(turn.plan, rotation[0].plan);
    });
  }

  bool is_better(const FoundRotation& found) const {
    if (!keeps_caps(cluster_, found.stream)) return false;
    if (!best_) return true;
    const bool late = goal_.deadline > Duration::zero() && found.line.latency > goal_.deadline;
    return !late && asked_of(goal_, found) < clearly * asked_of(goal_, *best_);
  }

  const Model& model_;
  const Cluster& cluster_;
  const Goal& goal_;
  std::vector<double> speeds_;  // by node
  std::optional<FoundRotation> best_;
  int32_t trials_ = 0;
};

}  // namespace

Result<FoundRotation> find_rotation(const Model& model, const Cluster& cluster, const Goal& goal,
                                    int64_t allowance) {
  RotationSearch search(model, cluster, goal);
  if (const Status one = search.one(allowance); !one) return one.failure();
  search.in_turn(allowance);
  return search.best();
}

Result<FoundRotation> find_rotation_near(const Model& model, const Cluster& cluster,
                                         const Goal& goal, const std::vector<TurnOutline>& from,
                                         const std::vector<double>& speed_ups, int64_t allowance) {
  assert(speed_ups.size() == cluster.nodes.size() && !from.empty());
  RotationSearch search(model, cluster, goal);
  search.near(from, speed_ups, allowance);
  search.in_turn(allowance);
  if (from.size() > 1 && search.worse_than(near_the_bound))
    (void)search.one(allowance);  // if it does not fit into memory, groups may
  return search.best();
}

FoundRotation simulated(const Model& model, const Cluster& cluster, const Goal& goal,
                        Rotation rotation) {
  std::vector<Dataflow> flows;
  for (const Turn& turn : rotation)
    flows.push_back(dataflow(model, cluster, turn.plan, goal.owner));
  std::vector<const Dataflow*> round;
  for (const size_t turn : round_of(rotation)) round.push_back(&flows[turn]);
  FoundRotation found;
  found.line = simulate(cluster, round, {static_cast<int32_t>(round.size()), 1});
  found.stream = simulate(cluster, round, steady_stream(goal.open_frames, round.size()));
  found.trials = 1;
  for (size_t i = 0; i < rotation.size(); ++i) {
    Prediction& predicted = rotation[i].plan.predicted;
    predicted = prediction(simulate(cluster, {&flows[i]}, {}));
    predicted.period = found.stream.period;
  }
  found.rotation = std::move(rotation);
  return found;
}

double asked_of(const Goal& goal, const FoundRotation& found) {
  switch (goal.kind) {
    case Goal::Kind::latency:
      return in_nanoseconds(found.line.latency);
    case Goal::Kind::throughput:
      return in_nanoseconds(found.stream.period);
    case Goal::Kind::energy:
      return found.line.energy_joules * 1e9;
    case Goal::Kind::memory:
      break;
  }
  int64_t fullest = 0;
  for (const NodeLoad& node : found.stream.nodes) fullest = std::max(fullest, node.peak_bytes);
  return static_cast<double>(fullest);
}

double speed_of(const Model& model, const NodeProfile& profile, WinogradUse winograd) {
  const double ns = work_of(profile, model, whole_program(model, winograd)).compute_ns;
  return 1e9 * std::max(1, profile.slots) / std::max(1.0, ns);
}

}  // namespace shingle
