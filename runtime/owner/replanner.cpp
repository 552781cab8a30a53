#include "runtime/owner/replanner.hpp"

#include <algorithm>

namespace shingle {
namespace {

// Those in use, and those before them, whose frames may still be under way.
constexpr size_t plans_remembered = 2 * max_turns;

// What was best for other speeds is a good start up to here; beyond it another plan altogether is.
constexpr double most_from_near = 3.0;

// Bounds a prediction from any profile, so that sums of predictions do not overflow.
constexpr Duration longest_tile = std::chrono::hours(24);

size_t place_of(const Cluster& cluster, NodeId node) {
  const auto found = std::find_if(cluster.nodes.begin(), cluster.nodes.end(),
                                  [&](const ClusterNode& each) { return each.id == node; });
  return static_cast<size_t>(found - cluster.nodes.begin());
}

}  // namespace

std::optional<FoundRotation> plan_anew(const Model& model, const ReplanTask& task) {
  const bool near = std::all_of(task.speed_ups.begin(), task.speed_ups.end(), [](double speed_up) {
    return speed_up <= most_from_near && speed_up >= 1.0 / most_from_near;
  });
  Result<FoundRotation> found = near ? find_rotation_near(model, task.cluster, task.goal, task.from,
                                                          task.speed_ups, task.allowance)
                                     : find_rotation(model, task.cluster, task.goal);
  if (!found) return std::nullopt;  // for want of memory: the plan in use had the room
  const FoundRotation now = simulated(model, task.cluster, task.goal, task.in_use);
  const double least = (1.0 - task.least_gain) * asked_of(task.goal, now);
  if (asked_of(task.goal, *found) > least) return std::nullopt;
  return std::move(*found);
}

Replanner::Replanner(std::shared_ptr<const Model> model, PlanBasis basis, ReplanLimits limits)
    : model_(std::move(model)),
      cluster_(std::move(basis.cluster)),
      others_(std::move(basis.others)),
      goal_(basis.goal),
      limits_(limits),
      outlines_(std::move(basis.found.outlines)),
      in_use_(std::move(basis.found.rotation)),
      slowness_{.measured = std::vector<double>(cluster_.nodes.size(), 1.0),
                .planned = std::vector<double>(cluster_.nodes.size(), 1.0),
                .sought = {}},
      pause_(limits.pause) {}

Duration Replanner::predicted(const LoadedPlan& plan, TileId id) {
  if (predictions_.size() >= plans_remembered && !predictions_.contains(plan.hash))
    predictions_.clear();
  std::vector<Duration>& all = predictions_[plan.hash];
  all.resize(static_cast<size_t>(tile_count(plan.plan)), Duration::zero());
  Duration& one = all[id.value];
  if (one > Duration::zero()) return one;
  const Tile& planned = tile(plan.plan, id);
  const TileProgram program =
      tile_program(*model_, plan.plan.blocks[block_of(plan.plan, id)], planned.outputs);
  const ClusterNode& home = cluster_.nodes[place_of(cluster_, planned.home)];
  const double ns = work_of(profile_of(home), *model_, program).compute_ns;
  return one = Duration(static_cast<int64_t>(std::clamp(ns, 1.0, in_nanoseconds(longest_tile))));
}

void Replanner::tile_done(const LoadedPlan& plan, const Report& done) {
  const bool at_home = tile(plan.plan, done.tile).home == done.node;
  if (!at_home || place_of(cluster_, done.node) == cluster_.nodes.size()) return;
  watch_.tile_done(done.key.frame, done.node, predicted(plan, done.tile), done.elapsed);
}

std::vector<double> Replanner::measured() const {
  std::vector<double> all = slowness_.measured;
  for (size_t i = 0; i < all.size(); ++i)
    if (const auto samples = watch_.samples(cluster_.nodes[i].id))
      all[i] = (*samples)[samples->size() / 2];
  return all;
}

// All samples, so that one that was held up, or that saw the change half-way, is none.
bool Replanner::has_drifted() const {
  for (size_t i = 0; i < slowness_.measured.size(); ++i) {
    const auto samples = watch_.samples(cluster_.nodes[i].id);
    if (!samples) continue;
    if (samples->front() > slowness_.measured[i] * limits_.drift) return true;
    if (samples->back() < slowness_.measured[i] / limits_.drift) return true;
  }
  return false;
}

void Replanner::take_pause(Time now) {
  if (searches_ > 0 && now - last_ > limits_.calm * pause_) pause_ = limits_.pause;
  last_ = now;
  next_ = now + pause_;
  pause_ = std::min(2 * pause_, limits_.longest_pause);
}

std::optional<ReplanTask> Replanner::due(Time now) {
  if (searching_ || searches_ >= limits_.most || now < next_ || !has_drifted()) return std::nullopt;
  take_pause(now);
  ++searches_;
  searching_ = true;
  slowness_.measured = measured();
  slowness_.sought = slowness_.measured;
  ReplanTask task{.cluster = cluster_,
                  .goal = goal_,
                  .from = outlines_,
                  .in_use = in_use_,
                  .speed_ups = {},
                  .allowance = limits_.allowance,
                  .least_gain = limits_.least_gain};
  for (size_t i = 0; i < slowness_.measured.size(); ++i) {
    // A tile's time does not show what other streams take: a slot computes one tile at a time.
    task.cluster.nodes[i] = beside(slowed(cluster_.nodes[i], slowness_.measured[i]), others_);
    task.speed_ups.push_back(slowness_.planned[i] / slowness_.measured[i]);
  }
  return task;
}

void Replanner::switched(const FoundRotation& found) {
  searching_ = false;
  outlines_ = found.outlines;
  in_use_ = found.rotation;
  slowness_.planned = slowness_.sought;
}

}  // namespace shingle
