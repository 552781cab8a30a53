#include "partition/plan_cost.hpp"

#include <algorithm>
#include <map>

#include "partition/tiling.hpp"

namespace shingle {

double compute_ns(const ClusterNode& node, int64_t macs, size_t steps) {
  return 2.0 * static_cast<double>(macs) / speed(node) + static_cast<double>(steps) * step_ns;
}

double port_ns(const ClusterNode& node, const NodeWork& work) {
  const double bytes_per_ns = (node.link_mbps > 1e-6 ? node.link_mbps : 1e-6) / 8000.0;
  return static_cast<double>(std::max(work.bytes_in, work.bytes_out)) / bytes_per_ns;
}

double elapsed_ns(const ClusterNode& node, const NodeWork& work) {
  const double port = port_ns(node, work);
  const double less = std::min(work.compute_ns, port), more = std::max(work.compute_ns, port);
  return more + less / std::max(1, work.tiles);
}

namespace {

using Works = std::vector<NodeWork>;  // by node

// By block, what each node of the cluster computes, receives and sends for it.
std::vector<Works> work_of(const Cluster& cluster, const Plan& plan, const Routes& routes) {
  std::map<NodeId, size_t> index;
  for (size_t i = 0; i < cluster.nodes.size(); ++i) index[cluster.nodes[i].id] = i;
  std::vector<Works> work(plan.blocks.size(), Works(cluster.nodes.size()));
  std::vector<std::pair<size_t, size_t>> places;  // by tile: block and node
  for (size_t b = 0; b < plan.blocks.size(); ++b) {
    for (const Tile& tile : plan.blocks[b].tiles) {
      places.emplace_back(b, index.at(tile.home));
      NodeWork& to = work[b][places.back().second];
      const size_t steps = plan.blocks[b].layers.size();
      to.compute_ns += compute_ns(cluster.nodes[places.back().second], tile.macs, steps);
      ++to.tiles;
    }
  }
  for (size_t i = 0; i < routes.strips.size(); ++i) {
    const Strip& strip = routes.strips[i];
    const std::vector<TileId>& readers = routes.waiting_on_strip[i];
    // A strip burdens the block that waits for it; what goes to the owner, the block it comes from.
    const TileId at = readers.empty() ? strip.producer.value_or(TileId{}) : readers.front();
    Works& block = work[places[at.value].first];
    if (strip.destination) block[index.at(*strip.destination)].bytes_in += strip.bytes;
    if (strip.producer) block[places[strip.producer->value].second].bytes_out += strip.bytes;
  }
  return work;
}

}  // namespace

int64_t node_bytes(const Model& model, const Plan& plan, const Routes& routes, NodeId node) {
  int64_t bytes = parameters(model) * bytes_of(ElementType::f32), largest = 0;
  for (const CanvasSpec& canvas : routes.canvases) {
    if (canvas.node != node) continue;
    bytes += canvas.region.elements() * bytes_of(model.at(canvas.tensor).type);
  }
  for (const FusedBlock& block : plan.blocks) {
    for (const Tile& tile : block.tiles) {
      if (tile.home == node) largest = std::max(largest, tile.peak_bytes);
    }
  }
  return bytes + largest;
}

Prediction predict(const Model& model, const Cluster& cluster, const Plan& plan) {
  const Routes routes = make_routes(model, plan);
  double latency = 0.0, period = 0.0;
  Works total(cluster.nodes.size());
  for (const Works& block : work_of(cluster, plan, routes)) {
    double slowest = 0.0;
    for (size_t i = 0; i < block.size(); ++i) {
      slowest = std::max(slowest, elapsed_ns(cluster.nodes[i], block[i]));
      total[i].compute_ns += block[i].compute_ns;
      total[i].bytes_in += block[i].bytes_in;
      total[i].bytes_out += block[i].bytes_out;
    }
    latency += slowest + block_ns;
  }
  Prediction predicted;
  for (size_t i = 0; i < total.size(); ++i) {
    const ClusterNode& node = cluster.nodes[i];
    period = std::max({period, total[i].compute_ns, port_ns(node, total[i])});
    predicted.peak_bytes = std::max(predicted.peak_bytes, node_bytes(model, plan, routes, node.id));
  }
  constexpr double centuries = 9e18;  // as much as nanoseconds in 64 bits can say
  predicted.latency_ns = static_cast<int64_t>(std::min(latency, centuries));
  predicted.period_ns = static_cast<int64_t>(std::min(period, centuries));
  predicted.wire_bytes = wire_bytes(routes);
  return predicted;
}

}  // namespace shingle
