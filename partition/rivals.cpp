#include "partition/rivals.hpp"

#include <algorithm>
#include <cmath>

#include "partition/first_drafts.hpp"
#include "partition/planner.hpp"
#include "partition/score.hpp"

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

  Dataflow flow_of(const Plan& plan) {
    std::vector<MadeBlock> made;
    made.reserve(plan.blocks.size());
    std::vector<const MadeBlock*> blocks;
    for (const FusedBlock& block : plan.blocks) {
      made.push_back(made_block(model_, cluster_, profiles_, block));
      blocks.push_back(&made.back());
    }
    Connections connections(model_, cluster_);
    return dataflow(model_, cluster_, blocks, connections, goal_.owner);
  }

  void add(std::string name, const Plan& plan) {
    const Dataflow flow = flow_of(plan);
    add(std::move(name), {&flow}, goal_.open_frames);
  }

  void add(std::string name, const std::vector<const Dataflow*>& turns, int32_t open_frames) {
    Rival rival;
    rival.name = std::move(name);
    rival.plans = static_cast<int32_t>(turns.size());
    rival.open_frames = open_frames;
    rival.line = simulate(cluster_, turns, {});
    rival.stream = simulate(cluster_, turns, steady_stream(open_frames));
    for (int64_t macs : turns[0]->macs) rival.macs += macs;
    rival.fits = keeps_caps(cluster_, rival.stream);
    rivals_.push_back(std::move(rival));
  }

  // The owner, and the node that is fastest at the whole.
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

  void whole_frames_in_turn() {
    std::vector<Dataflow> flows;
    for (const ClusterNode& node : cluster_.nodes) {
      flows.push_back(flow_of(single_plan(model_, node.id, winograd_)));
    }
    std::vector<const Dataflow*> turns;
    for (const Dataflow& flow : flows) turns.push_back(&flow);
    const auto nodes = static_cast<int32_t>(cluster_.nodes.size());
    add("whole frames in turn, " + std::to_string(nodes) + " open", turns, nodes);
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
