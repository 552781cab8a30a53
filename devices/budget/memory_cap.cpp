#include "devices/budget/memory_cap.hpp"

#include <algorithm>
#include <set>

#include "devices/native/native_footprint.hpp"
#include "partition/simulation/timeline.hpp"

namespace shingle {

void cap_memory(Cluster& cluster, int64_t bytes, int threads) {
  for (ClusterNode& node : cluster.nodes) node.memory_bytes = bytes;
  cluster.footprint = native_footprint(threads);
  cluster.weights = WeightPlaces::at_home;
}

int executor_threads(const ClusterFile& file) {
  int most = 1;
  for (const ClusterFileNode& node : file.nodes)
    if (!node.pace) most = std::max(most, node.cores);
  return most;
}

namespace {

std::map<std::tuple<uint32_t, Algorithm, int32_t, int32_t>, int64_t> weights_at(
    NodeId node, const HeldPlan& held, const Footprint& footprint) {
  std::map<std::tuple<uint32_t, Algorithm, int32_t, int32_t>, int64_t> weights;
  for (const FusedBlock& block : held.plan->blocks) {
    for (const Tile& tile : block.tiles) {
      if (!keeps_weights(*held.plan, node, tile.id)) continue;
      for (const Step& step : tile_program(*held.model, block, tile.outputs).steps) {
        const auto [place, added] = weights.try_emplace(
            {step.layer.value, step.algorithm, step.output.c.begin, step.output.c.end});
        if (added) place->second = footprint.weights(*held.model, step);
      }
    }
  }
  return weights;
}

}  // namespace

const PlansUnderCap::Asked* PlansUnderCap::asked_by(const HeldPlan& held) {
  const auto [place, is_new] = asked_.try_emplace(hash_of(*held.plan));
  std::optional<Asked>& asked = place->second;
  if (!is_new) return asked ? &*asked : nullptr;
  Cluster cluster = planner_cluster(file_);
  cluster.footprint = native_footprint(node_.threads);
  cluster.weights = held.plan->weights;
  const auto at = [&](NodeId id) {
    return std::find_if(cluster.nodes.begin(), cluster.nodes.end(),
                        [&](const ClusterNode& each) { return each.id == id; });
  };
  for (const NodeId home : homes(*held.plan))
    if (at(home) == cluster.nodes.end()) return nullptr;
  if (at(node_.id) == cluster.nodes.end()) return nullptr;
  const Timeline line =
      simulate(*held.model, cluster, *held.plan, node_.owner, steady_stream(node_.open_frames));
  const auto index = static_cast<size_t>(at(node_.id) - cluster.nodes.begin());
  const size_t members = member_count(cluster, node_.owner);
  asked =
      Asked{.load = line.nodes[index],
            .weight_bytes = weights_at(node_.id, held, *cluster.footprint),
            .process_bytes = program_bytes(*cluster.footprint, members, node_.owner == node_.id)};
  return &*asked;
}

// Of one model's plans.
struct PlansUnderCap::Sum {
  std::map<WeightKey, int64_t> weight_bytes;
  int64_t buffers = 0, other = 0, process = 0;
  int64_t rest_of_peak = 0;  // canvases: what the peak has beside the others

  void add(const Asked& asked) {
    const NodeLoad& load = asked.load;
    weight_bytes.insert(asked.weight_bytes.begin(), asked.weight_bytes.end());
    buffers = std::max(buffers, load.buffer_bytes);
    other = std::max(other, load.other_bytes);
    process = std::max(process, asked.process_bytes);
    rest_of_peak = std::max(
        rest_of_peak, load.peak_bytes - load.weight_bytes - load.buffer_bytes - load.other_bytes);
  }
};

// Somebody may be asked about twice before he is held.
void PlansUnderCap::forget_all_but(std::span<const HeldPlan> held, const HeldPlan& wanted) {
  constexpr size_t many = 64;
  if (asked_.size() < many) return;
  std::set<PlanHash> there{hash_of(*wanted.plan)};
  for (const HeldPlan& each : held) there.insert(hash_of(*each.plan));
  std::erase_if(asked_, [&](const auto& entry) { return !there.contains(entry.first); });
}

Status PlansUnderCap::may_hold(std::span<const HeldPlan> held, const HeldPlan& wanted) {
  if (node_.memory_bytes == 0) return success();
  forget_all_but(held, wanted);
  const Asked* own = asked_by(wanted);
  if (own == nullptr) return success();
  const std::string may = "it may use " + memory_words(node_.memory_bytes);
  if (own->load.peak_bytes > node_.memory_bytes)
    return Error{may + " and the plan asks for " + memory_words(own->load.peak_bytes) + " (" +
                 parts(own->load) + "); plan with this cap, or raise it"};
  if (held.empty()) return success();
  std::map<ModelHash, Sum> models;
  models[wanted.model->hash].add(*own);
  for (const HeldPlan& each : held)
    if (const Asked* asked = asked_by(each)) models[each.model->hash].add(*asked);
  NodeLoad all;
  int64_t process = 0;  // once
  for (const auto& [model, sum] : models) {
    for (const auto& [key, bytes] : sum.weight_bytes) all.weight_bytes += bytes;
    all.buffer_bytes += sum.buffers;
    all.canvas_bytes += sum.rest_of_peak;
    all.other_bytes += sum.other - sum.process;
    process = std::max(process, sum.process);
  }
  all.other_bytes += process;
  all.peak_bytes = all.weight_bytes + all.buffer_bytes + all.canvas_bytes + all.other_bytes;
  if (all.peak_bytes <= node_.memory_bytes) return success();
  return Error{may + " and the plan, beside " + std::to_string(held.size()) +
               " that it holds, asks for " + memory_words(all.peak_bytes) + " (" + parts(all) +
               "); withdraw plans, or raise the cap"};
}

Status may_hold(const ClusterFile& file, const CappedNode& node, const Model& model,
                const Plan& plan) {
  return PlansUnderCap(file, node).may_hold({}, {&model, &plan});
}

}  // namespace shingle
