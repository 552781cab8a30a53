// Plans the sources of an experiment, as apps/run/stream_plans.hpp plans the streams of a run.
#include <algorithm>

#include "devices/files/cluster_points.hpp"
#include "sim/experiment/experiment.hpp"

namespace shingle::sim {

namespace {

// All nodes are in one cell, which is simulated turn by turn.
bool takes_turns(const ClusterFile& cluster) {
  return cluster.network.kind == NetworkKind::switched && only_cell(cluster) != nullptr;
}

const KnownModel* model_named(const std::vector<KnownModel>& models, const std::string& name) {
  const auto found =
      std::ranges::find_if(models, [&](const KnownModel& model) { return model.name == name; });
  return found == models.end() ? nullptr : &*found;
}

class SourcePlanner {
 public:
  SourcePlanner(const ExperimentFile& file, const std::vector<KnownModel>& models)
      : file_(file), models_(models), cluster_(planner_cluster(file.cluster)) {}

  Result<std::vector<PlannedSource>> plan_all() {
    std::vector<PlannedSource> planned;
    for (size_t i = 0; i < file_.sources.size(); ++i) {
      auto source = plan_for(i);
      if (!source) return source.failure();
      if (source->ftp &&
          (file_.sources.size() > 1 || !file_.faults.empty() || !file_.flows.empty()))
        return bad_input("DeepThings' scheme is simulated alone: one source, no faults, no flows");
      planned.push_back(std::move(*source));
      shares_.push_back(share_of_source(i, planned.back()));
    }
    return planned;
  }

 private:
  std::string name_of_source(size_t source) const {
    return "source " + std::to_string(source + 1) + " (model '" + file_.sources[source].model +
           "', node " + std::to_string(file_.sources[source].owner.value) + ")";
  }

  Goal goal_of(const ExperimentSource& source) const {
    return {.kind = source.goal,
            .owner = source.owner,
            .open_frames = static_cast<int32_t>(source.open_frames),
            .deadline = source.deadline.value_or(Duration::zero())};
  }

  // Without the owners that compute nothing.
  Cluster computing(const ExperimentSource& source) const {
    Cluster cluster = cluster_;
    if (!source.computes)
      std::erase_if(cluster.nodes,
                    [&](const ClusterNode& node) { return node.id == source.owner; });
    return cluster;
  }

  // What earlier sources of the same owner take; an owner knows of no others.
  StreamShare others_of(size_t source) const {
    StreamShare all;
    for (size_t i = 0; i < source; ++i)
      if (file_.sources[i].owner == file_.sources[source].owner)
        all = together(std::move(all), shares_[i]);
    return all;
  }

  Result<PlannedSource> plan_for(size_t index) const {
    const ExperimentSource& source = file_.sources[index];
    const KnownModel* known = model_named(models_, source.model);
    if (known == nullptr) return Error{"model '" + source.model + "' was not read"};
    PlannedSource planned{.model = known->model, .rotation = known->rotation, .ftp = known->ftp};
    if (planned.ftp) return planned;
    const Cluster cluster = computing(source);
    if (cluster.nodes.empty())
      return bad_input(name_of_source(index) + ": nobody computes; the owner is the only node");
    const Goal goal = goal_of(source);
    if (!planned.rotation.empty()) {
      planned.loads = simulated(*planned.model, cluster, goal, planned.rotation).stream.nodes;
      return planned;
    }
    StreamShare others = others_of(index);
    auto found = find_rotation(*planned.model, beside(cluster, others), goal);
    if (!found) return Error{name_of_source(index) + ": " + found.error()};
    planned.rotation = found->rotation;
    planned.loads = found->stream.nodes;
    if (file_.policy.replans && cluster.nodes.size() > 1)
      planned.basis = PlanBasis{cluster, goal, std::move(*found), std::move(others)};
    return planned;
  }

  StreamShare share_of_source(size_t index, const PlannedSource& planned) const {
    const ExperimentSource& source = file_.sources[index];
    if (planned.ftp || index + 1 == file_.sources.size()) return {};
    const Cluster cluster = computing(source);
    const Timeline line =
        simulated(*planned.model, cluster, goal_of(source), planned.rotation).stream;
    const bool has_rate = source.arrivals.kind == Arrivals::Kind::periodic ||
                          source.arrivals.kind == Arrivals::Kind::poisson;
    const Duration period =
        has_rate ? Duration(static_cast<int64_t>(1e9 / source.arrivals.per_second)) : line.period;
    return share_of(cluster, source.owner, line, period);
  }

  const ExperimentFile& file_;
  const std::vector<KnownModel>& models_;
  const Cluster cluster_;
  std::vector<StreamShare> shares_;  // by source
};

}  // namespace

Result<Experiment> prepare(ExperimentFile file, const std::vector<KnownModel>& models) {
  auto planned = SourcePlanner(file, models).plan_all();
  if (!planned) return planned.failure();
  return Experiment{std::move(file), std::move(*planned)};
}

bool begins_by_chance(const ExperimentFile& file, size_t source) {
  return source > 0 && file.sources[source].arrivals.kind == Arrivals::Kind::back_to_back;
}

std::vector<std::string> drawn_parts(const Experiment& experiment) {
  std::vector<std::string> parts;
  const ExperimentFile& file = experiment.file;
  for (size_t i = 0; i < file.sources.size(); ++i) {
    const std::string source = "source " + std::to_string(i + 1);
    if (file.sources[i].arrivals.kind == Arrivals::Kind::periodic)
      parts.push_back("the phase of " + source);
    if (file.sources[i].arrivals.kind == Arrivals::Kind::poisson)
      parts.push_back("the arrivals of " + source);
    if (begins_by_chance(file, i)) parts.push_back("when " + source + " begins");
  }
  if (!experiment.sources.empty() && experiment.sources.front().ftp)
    parts.emplace_back("when devices ask for tiles, and when radios wake");
  else if (takes_turns(experiment.file.cluster))
    parts.emplace_back("which station has the next turn on the air");
  if (std::ranges::any_of(file.cluster.nodes, [](const auto& node) { return node.loss > 0.0; }))
    parts.emplace_back("which packets are lost");
  if (std::ranges::any_of(
          file.cluster.nodes,
          [](const ClusterFileNode& node) { return node.spec && node.spec->jitter > 0.0; }) &&
      !file.sources.empty())
    parts.emplace_back("how tile times scatter");
  if (experiment.surroundings.handover > Duration::zero())
    parts.emplace_back("how soon threads wake up");
  return parts;
}

}  // namespace shingle::sim
