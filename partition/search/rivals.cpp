#include "partition/search/rivals.hpp"

#include <algorithm>
#include <cmath>

#include "partition/search/first_drafts.hpp"
#include "partition/search/planner.hpp"
#include "partition/search/rotation_search.hpp"
#include "partition/search/score.hpp"

namespace shingle {
namespace {

class Comparison {
 public:
  Comparison(const Model& model, const Cluster& cluster, const Goal& goal)
      : model_(model),
        cluster_(cluster),
        goal_(goal),
        winograd_(worthwhile_winograd(cluster, goal)),
        profiles_(profiles_of(cluster)) {}

  std::vector<Rival> all() {
    lone_nodes();
    const size_t nodes = cluster_.nodes.size();
    if (nodes > 1) {
      whole_frames_in_turn();
      pipeline();
      const auto count = static_cast<int32_t>(nodes);
      const auto columns = static_cast<int32_t>(std::lround(std::sqrt(double(nodes))));
      const GridCut grid{(count + columns - 1) / columns, columns};
      add("one deep block in a grid", grid_plan(model_, cluster_, options({}, grid)));
      std::vector<LayerId> every;
      for (uint32_t i = 0; i < model_.layers.size(); ++i) every.push_back({i});
      add("layer by layer, a strip for each node",
          grid_plan(model_, cluster_, options(every, {count, 1})));
    }
    return std::move(rivals_);
  }

 private:
  PlanOptions options(std::vector<LayerId> cuts, GridCut grid) const {
    return {.cut_after = std::move(cuts), .grid = grid, .granule = {}, .winograd = winograd_};
  }

  void add(std::string name, Plan plan) {
    add(std::move(name), {{std::move(plan)}}, goal_.open_frames);
  }

  void add(std::string name, const Rotation& rotation, int32_t open_frames) {
    Goal goal = goal_;
    goal.open_frames = open_frames;
    FoundRotation simulated_one = simulated(model_, cluster_, goal, rotation);
    Rival rival{.name = std::move(name),
                .line = std::move(simulated_one.line),
                .stream = std::move(simulated_one.stream),
                .open_frames = open_frames};
    for (const NodeLoad& node : rival.line.nodes) rival.macs += node.macs;
    rival.fits = keeps_caps(cluster_, rival.stream);
    rivals_.push_back(std::move(rival));
  }

  // All on the owner, and all on the node that computes the whole model fastest.
  void lone_nodes() {
    size_t fastest = 0;
    double least_ns = 0.0;
    const TileProgram whole = whole_program(model_, winograd_);
    for (size_t i = 0; i < profiles_.size(); ++i) {
      const double ns = work_of(profiles_[i], model_, whole).compute_ns;
      if (i == 0 || ns < least_ns) fastest = i, least_ns = ns;
    }
    std::vector<NodeId> nodes{cluster_.nodes[fastest].id};
    const bool inside = goal_.owner && index_of(cluster_, *goal_.owner) < cluster_.nodes.size();
    if (inside && *goal_.owner != nodes[0]) nodes.insert(nodes.begin(), *goal_.owner);
    for (NodeId node : nodes) {
      add("all on node " + std::to_string(node.value), single_plan(model_, node, winograd_));
    }
  }

  // On the first nodes, as many as a rotation may have turns.
  void whole_frames_in_turn() {
    const size_t turns = std::min(cluster_.nodes.size(), max_turns);
    Rotation rotation;
    std::vector<double> speeds;
    for (size_t i = 0; i < turns; ++i) {
      rotation.push_back({single_plan(model_, cluster_.nodes[i].id, winograd_)});
      speeds.push_back(speed_of(model_, profiles_[i], winograd_));
    }
    const std::vector<int32_t> shares = shares_for(speeds, max_share);
    for (size_t i = 0; i < turns; ++i) rotation[i].share = shares[i];
    const auto open = static_cast<int32_t>(turns);
    add("whole frames in turn, " + std::to_string(open) + " open", rotation, open);
  }

  void pipeline() {
    const LayerOrder order = layer_order(model_);
    Workshop workshop(model_, cluster_, order, goal_, winograd_);
    add("a pipeline, a stage for each node", workshop.plan(pipeline_draft(workshop)));
  }

  const Model& model_;
  const Cluster& cluster_;
  const Goal& goal_;
  const WinogradUse winograd_;
  const std::vector<NodeProfile> profiles_;
  std::vector<Rival> rivals_;
};

}  // namespace

std::vector<Rival> rivals(const Model& model, const Cluster& cluster, const Goal& goal) {
  return Comparison(model, cluster, goal).all();
}

}  // namespace shingle
