#include "partition/search/draft.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "partition/search/score.hpp"
#include "partition/search/tiling.hpp"

namespace shingle {
namespace {

// Maps with more joined parts are cut without regard to the joints.
constexpr size_t most_joints = 7;

Granule coarsest(const std::vector<NodeProfile>& profiles) {
  Granule granule;
  for (const NodeProfile& profile : profiles) {
    const Granule own = common_granule(profile);
    granule = {std::max(granule.y, own.y), std::max(granule.x, own.x), std::max(granule.c, own.c)};
  }
  return granule;
}

}  // namespace

Workshop::Workshop(const Model& model, const Cluster& cluster, const LayerOrder& order,
                   const Goal& goal, WinogradUse winograd)
    : model_(model),
      cluster_(cluster),
      order_(order),
      goal_(goal),
      winograd_(winograd),
      profiles_(profiles_of(cluster)),
      owner_(goal.owner ? index_of(cluster, *goal.owner) : cluster.nodes.size()),
      granule_(coarsest(profiles_)),
      joints_(joints_of(model)),
      model_macs_(std::max<int64_t>(1, total_macs(model))),
      connections_(model, cluster) {
  assert(!cluster.nodes.empty());
}

FusedBlock Workshop::layers_of(size_t begin, size_t end) const {
  const auto first = order_.layers.begin();
  std::vector<LayerId> ids(first + static_cast<std::ptrdiff_t>(begin),
                           first + static_cast<std::ptrdiff_t>(end));
  std::sort(ids.begin(), ids.end());
  return {.layers = block_layers(model_, ids, winograd_), .tiles = {}};
}

std::vector<DealtTile> Workshop::deal_block(const DraftBlock& draft, const FusedBlock& block,
                                            const std::vector<TensorId>& outputs) const {
  const MapKind kind = order_.kinds[draft.begin];
  std::vector<Shape> maps;
  std::vector<std::vector<int32_t>> joints;
  std::vector<Granule> granules;
  for (TensorId tensor : outputs) {
    const Shape map = model_.at(tensor).shape;
    const Granule grid = winograd_granule(model_, block, map, {1, 1});
    maps.push_back(map);
    joints.push_back(joints_[tensor.value]);
    granules.push_back(draft.layout.loose
                           ? Granule{1, 1, granule_.c}
                           : Granule{std::max(granule_.y, grid.y), std::max(granule_.x, grid.x),
                                     std::max(granule_.c, grid.c)});
  }
  const bool flat = kind == MapKind::row || kind == MapKind::column;
  const bool alike = std::all_of(joints.begin(), joints.end(),
                                 [&](const auto& own) { return own.size() == joints[0].size(); });
  if (!flat || !alike || joints[0].size() > most_joints) joints.clear();
  return deal(draft.layout, maps, kind, granules, joints);
}

const MadeBlock& Workshop::make(const DraftBlock& draft) {
  const auto [at, fresh] = made_.try_emplace(draft);
  if (!fresh) return at->second;
  FusedBlock block = layers_of(draft.begin, draft.end);
  const std::vector<TensorId> outputs = outputs_of(model_, order_, draft.begin, draft.end);
  for (DealtTile& dealt : deal_block(draft, block, outputs)) {
    Tile tile;
    tile.home = cluster_.nodes[dealt.node].id;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!dealt.regions[i].empty()) tile.outputs.push_back({outputs[i], dealt.regions[i]});
    }
    block.tiles.push_back(std::move(tile));
  }
  at->second = made_block(model_, cluster_, profiles_, std::move(block));
  return at->second;
}

Duration Workshop::busiest(const Draft& draft) {
  std::vector<Duration> busy(cluster_.nodes.size(), Duration::zero());
  for (const DraftBlock& block : draft) {
    const MadeBlock& made = make(block);
    for (size_t i = 0; i < busy.size(); ++i) busy[i] += made.busy[i];
  }
  return *std::max_element(busy.begin(), busy.end());
}

Plan Workshop::plan(const Draft& draft) {
  Plan plan;
  plan.model = model_.hash;
  plan.sized = model_.sized;
  plan.image = model_.image;
  plan.weights = cluster_.weights;
  plan.wire = wire_formats(model_);
  uint32_t next = 0;
  for (const DraftBlock& block : draft) {
    plan.blocks.push_back(make(block).block);
    for (Tile& tile : plan.blocks.back().tiles) tile.id = {next++};
  }
  return plan;
}

Workshop::Blocks Workshop::blocks_of(const Draft& draft) {
  Blocks blocks;
  for (const DraftBlock& block : draft) blocks.push_back(&make(block));
  return blocks;
}

Timeline Workshop::trial(const Draft& draft, StreamOfFrames stream) {
  const Dataflow flow = dataflow(model_, cluster_, blocks_of(draft), connections_, goal_.owner);
  return simulate(cluster_, {&flow}, stream);
}

std::optional<Verdict> Workshop::judge(const Draft& draft, const Bar& bar) {
  const auto [at, fresh] = known_.try_emplace(blocks_of(draft));
  Known& known = at->second;
  const bool is_open = !known.verdict && known.longer_than < longest_latency(*this, known.macs,
                                                                             known.wire_bytes, bar);
  if (fresh || is_open) simulate_draft(at->first, bar, known);
  spent_ += known.spent;
  return known.verdict;
}

void Workshop::simulate_draft(const Blocks& blocks, const Bar& bar, Known& known) {
  const Dataflow flow = dataflow(model_, cluster_, blocks, connections_, goal_.owner);
  const StreamOfFrames stream = stream_of(cluster_, goal_);
  known.spent = (std::ssize(flow.tiles) + std::ssize(flow.strips)) * (stream.frames + 1);
  known.macs = std::accumulate(flow.macs.begin(), flow.macs.end(), int64_t{0});
  known.wire_bytes = 0;
  for (const Dataflow::StripTask& strip : flow.strips)
    if (strip.from != strip.to) known.wire_bytes += strip.bytes;
  std::optional<Timeline> line;
  if (stream.frames > 1) {
    line = simulate(cluster_, {&flow}, stream);
  } else {
    known.longer_than = longest_latency(*this, known.macs, known.wire_bytes, bar);
    line = simulate_within(cluster_, flow, known.longer_than);
  }
  if (line) known.verdict = {value_of(*this, *line), waste(*this, *line)};
}

std::vector<double> Workshop::fair_shares(size_t begin, size_t end) {
  const auto [at, fresh] = shares_.try_emplace({begin, end});
  if (!fresh) return at->second;
  const FusedBlock block = layers_of(begin, end);
  std::vector<Slice> all;
  for (TensorId tensor : outputs_of(model_, order_, begin, end)) {
    all.push_back({tensor, whole(model_.at(tensor).shape)});
  }
  const TileProgram program = tile_program(model_, block, all);
  double sum = 0.0;
  for (const NodeProfile& profile : profiles_) {
    const double ns = std::clamp(work_of(profile, model_, program).compute_ns, 1.0, 1e17);
    at->second.push_back(std::max(1, profile.slots) / ns);
    sum += at->second.back();
  }
  for (double& share : at->second) share /= sum;
  return at->second;
}

Draft without_idle_blocks(const Model& model, const LayerOrder& order, const Draft& draft) {
  Draft joined;
  size_t begin = 0;
  for (const DraftBlock& block : draft) {
    if (outputs_of(model, order, begin, block.end).empty()) continue;
    joined.push_back({begin, block.end, block.layout});
    begin = block.end;
  }
  if (!joined.empty()) joined.back().end = order.layers.size();
  return joined;
}

}  // namespace shingle
