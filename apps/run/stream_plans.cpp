#include "apps/run/stream_plans.hpp"

#include <algorithm>
#include <set>

#include "apps/client/plan_file.hpp"
#include "devices/weights/compiled_file.hpp"
#include "runtime/node/node.hpp"

namespace shingle {
namespace {

// A further model has one frame under way and one that waits: its rate is bound to the main one's.
constexpr uint32_t open_frames_of_further = 2;

Result<Rotation> read_plan(const RunOptions& options, const std::string& path, const Model& model,
                           const Cluster& cluster) {
  if (options.plan.starts_with("ftp:"))
    return bad_input("'" + options.plan +
                     "' is DeepThings' scheme, not a plan for nodes: 'shingle plan --plan' "
                     "simulates it, 'tools/bench cluster --only ftp' runs it");
  std::vector<NodeId> members;
  for (const ClusterNode& node : cluster.nodes) members.push_back(node.id);
  auto rotation = read_plan_file(path, model, members);
  if (!rotation) return bad_input(rotation.error());
  return rotation;
}

// Plans one stream after the other.
class StreamPlanner {
 public:
  StreamPlanner(const RunOptions& options, const std::vector<RunModel>& models,
                const Workplace& place)
      : options_(options),
        models_(models),
        place_(place),
        cluster_(computing_nodes(place, options.compute)),
        shares_(models.size()) {}

  Result<std::vector<StreamPlan>> plan_all() {
    if (cluster_.nodes.empty()) return Error{"the cluster file has no node besides this one"};
    if (const Status differ = twins_need_no_cap(); !differ) return differ.failure();
    std::vector<StreamPlan> plans;
    for (size_t i = 0; i < models_.size(); ++i) {
      auto plan = plan_for(i);
      if (!plan) return plan.failure();
      plans.push_back(std::move(*plan));
      if (const Status few = may_be_offered(plans); !few) return few.failure();
      if (models_.size() > 1) take_share(i, plans.back().rotation);
    }
    if (models_.size() == 1 || plan_path(models_.front())) return plans;
    // The first one was planned before the others were known.
    auto again = plan_for(0);
    if (!again) return again.failure();
    plans.front() = std::move(*again);
    if (const Status few = may_be_offered(plans); !few) return few.failure();
    return plans;
  }

 private:
  // A node with a cap takes all plans of a model for those of one stream, and counts their frames
  // once (devices/budget/memory_cap.hpp).
  Status twins_need_no_cap() const {
    if (std::ranges::all_of(place_.cluster.nodes,
                            [](const ClusterFileNode& node) { return node.memory_bytes == 0; }))
      return success();
    std::set<ModelHash> seen;
    for (const RunModel& model : models_)
      if (!seen.insert(model.file->model.hash).second)
        return usage_error("model '" + model.name +
                           "' is the same as another one of this run, and nodes with a memory cap "
                           "count the frames of one model once; leave it out, or give no cap");
    return success();
  }

  static Status may_be_offered(const std::vector<StreamPlan>& plans) {
    constexpr size_t most = most_proposals(NodeLimits{});
    std::set<PlanHash> turns;
    for (const StreamPlan& stream : plans)
      for (const Turn& turn : stream.rotation) turns.insert(hash_of(turn.plan));
    if (turns.size() <= most) return success();
    return usage_error("too many models: they have more than " + std::to_string(most) +
                       " plans together, as many as a node offers; leave models out, or choose "
                       "--goal latency, which needs one plan for each");
  }

  // Of a file that has this model's plan; none: it is searched for.
  std::optional<std::string> plan_path(const RunModel& model) const {
    if (model.name.empty() && !options_.plan.empty()) return options_.plan;
    if (CompiledFile::is_one(model.path.path)) return model.path.path;
    return std::nullopt;
  }

  uint32_t open_frames(const RunModel& model) const {
    return model.name.empty() ? options_.open_frames
                              : std::min(options_.open_frames, open_frames_of_further);
  }

  Goal goal_of(const RunModel& model) const {
    return {.kind = goal_named(options_.goal).value(),
            .owner = place_.owner,
            .open_frames = static_cast<int32_t>(open_frames(model)),
            .deadline = deadline_of(options_).value_or(Duration::zero())};
  }

  StreamShare others_of(size_t stream) const {
    StreamShare all;
    for (size_t i = 0; i < shares_.size(); ++i)
      if (i != stream) all = together(std::move(all), shares_[i]);
    return all;
  }

  Result<StreamPlan> plan_for(size_t stream) const {
    const RunModel& model = models_[stream];
    StreamPlan plan{.rotation = {}, .open_frames = open_frames(model)};
    if (const auto path = plan_path(model)) {
      auto rotation = read_plan(options_, *path, model.file->model, cluster_);
      if (!rotation) return rotation.failure();
      plan.rotation = std::move(*rotation);
      return plan;
    }
    const Goal goal = goal_of(model);
    StreamShare others = others_of(stream);
    auto found = find_rotation(model.file->model, beside(cluster_, others), goal);
    if (!found && model.name.empty()) return found.failure();
    if (!found) return Error{"no plan for '" + model.name + "': " + found.error()};
    plan.rotation = found->rotation;
    // Of local workers neither speeds nor wires are known: measured speeds alone would mislead.
    const bool known = !place_.workers && cluster_.nodes.size() > 1;
    if (known && !options_.keep_plan)
      plan.basis = {cluster_, goal, std::move(*found), std::move(others)};
    return plan;
  }

  void take_share(size_t stream, const Rotation& rotation) {
    const RunModel& model = models_[stream];
    const Timeline line = simulated(model.file->model, cluster_, goal_of(model), rotation).stream;
    if (stream == 0) main_period_ = line.period;
    shares_[stream] =
        share_of(cluster_, place_.owner, line, main_period_ * static_cast<int64_t>(model.every));
  }

  const RunOptions& options_;
  const std::vector<RunModel>& models_;
  const Workplace& place_;
  const Cluster cluster_;
  std::vector<StreamShare> shares_;  // by stream; empty before it was planned
  Duration main_period_{};
};

}  // namespace

std::optional<Duration> deadline_of(const RunOptions& options) {
  if (!options.deadline_seconds) return std::nullopt;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(*options.deadline_seconds));
}

Result<std::vector<StreamPlan>> stream_plans(const RunOptions& options,
                                             const std::vector<RunModel>& models,
                                             const Workplace& place) {
  return StreamPlanner(options, models, place).plan_all();
}

}  // namespace shingle
