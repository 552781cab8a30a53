// The experiment that a design of a sweep is.
#include <algorithm>
#include <cassert>

#include "devices/files/sweep_file.hpp"

namespace shingle {

namespace {

bool is_meant(const SweepAxis& axis, const ClusterFileNode& node) {
  return axis.nodes.empty() || std::ranges::find(axis.nodes, node.id) != axis.nodes.end();
}

// The speed that the profile gives on these cores.
void set_cores(ClusterFileNode& node, int32_t cores) {
  node.cores = cores;
  node.gflops = gflops_of(costs_on(*node.device, cores));
}

void set_board(ClusterFileNode& node, const SweepValue& value) {
  node.board = value.text;
  node.spec = value.spec;
  node.profile = value.spec->profile;
  node.device = value.device;
  node.pace = false;
  set_cores(node, value.device->cores);
}

void set_network(ClusterFile& cluster, const SweepValue& value) {
  const bool wired = value.number > 0.0;
  const std::string cell = "cell";
  cluster.network.kind = NetworkKind::switched;
  cluster.points.clear();
  cluster.trunks.clear();
  if (!wired)
    cluster.points.push_back(
        {.name = cell, .kind = NetworkPoint::Kind::access_point, .mode = value.text});
  for (ClusterFileNode& node : cluster.nodes) {
    node.at = wired ? std::string() : cell;
    node.up_mbps = node.down_mbps = std::nullopt;
    if (wired) node.link_mbps = value.number;
  }
}

// "ftp:3x3:16+reuse", its grid or its layers replaced.
std::string with_part(const std::string& plan, const SweepAxis& axis, const std::string& part) {
  const size_t grid = plan.find(':') + 1, layers = plan.find(':', grid) + 1;
  const size_t rest = std::min(plan.find('+', layers), plan.size());
  return axis.kind == AxisKind::ftp_grid ? plan.substr(0, grid) + part + plan.substr(layers - 1)
                                         : plan.substr(0, layers) + part + plan.substr(rest);
}

void set_plan(ExperimentFile& experiment, const SweepAxis& axis, const std::string& text) {
  for (ExperimentModel& model : experiment.models) {
    if (!axis.model.empty() && model.name != axis.model) continue;
    if (axis.kind == AxisKind::plan)
      model.plan = text == "search" ? std::string() : text;
    else
      model.plan = with_part(model.plan, axis, text);
  }
}

// Copies have ids above all others, and no name, address or fault of their own.
void set_count(ClusterFile& cluster, NodeId of, uint32_t count) {
  const auto place = std::ranges::find(cluster.nodes, of, &ClusterFileNode::id);
  assert(place != cluster.nodes.end());
  if (count == 0) {
    cluster.nodes.erase(place);
    return;
  }
  ClusterFileNode copy = *place;
  for (uint32_t i = 1; i < count; ++i) {
    copy.id.value = cluster.nodes.back().id.value + 1;
    copy.port = static_cast<uint16_t>(copy.port % 60'000 + 1000);
    copy.name = "node" + std::to_string(copy.id.value);
    cluster.nodes.push_back(copy);
  }
}

void set(ExperimentFile& experiment, const SweepAxis& axis, const SweepValue& value) {
  ClusterFile& cluster = experiment.cluster;
  switch (axis.kind) {
    case AxisKind::board:
    case AxisKind::cores:
    case AxisKind::link:
    case AxisKind::memory:
      for (ClusterFileNode& node : cluster.nodes) {
        if (!is_meant(axis, node)) continue;
        if (axis.kind == AxisKind::board) set_board(node, value);
        if (axis.kind == AxisKind::cores) set_cores(node, static_cast<int32_t>(value.number));
        if (axis.kind == AxisKind::memory) node.memory_bytes = static_cast<int64_t>(value.number);
        if (axis.kind == AxisKind::link) node.link_mbps = value.number;
      }
      return;
    case AxisKind::network:
      return set_network(cluster, value);
    case AxisKind::radio:
      for (NetworkPoint& point : cluster.points)
        if (point.kind != NetworkPoint::Kind::plain_switch) point.mode = value.text;
      return;
    case AxisKind::plan:
    case AxisKind::ftp_grid:
    case AxisKind::ftp_layers:
      return set_plan(experiment, axis, value.text);
    case AxisKind::rate:
      for (ExperimentSource& source : experiment.sources) source.arrivals.per_second = value.number;
      return;
    case AxisKind::open_frames:
      for (ExperimentSource& source : experiment.sources)
        source.open_frames = static_cast<uint32_t>(value.number);
      return;
    case AxisKind::goal:
      for (ExperimentSource& source : experiment.sources)
        source.goal = goal_named(value.text).value();
      return;
    case AxisKind::count:
      return set_count(cluster, axis.nodes.front(), static_cast<uint32_t>(value.number));
  }
}

}  // namespace

ExperimentFile design_of(const SweepFile& sweep, const std::vector<uint32_t>& choice) {
  assert(choice.size() == sweep.axes.size());
  ExperimentFile experiment = sweep.experiment;
  for (auto kind = AxisKind::board; kind <= AxisKind::count;
       kind = static_cast<AxisKind>(static_cast<int>(kind) + 1))
    for (size_t i = 0; i < choice.size(); ++i)
      if (sweep.axes[i].kind == kind)
        set(experiment, sweep.axes[i], sweep.axes[i].values[choice[i]]);
  return experiment;
}

}  // namespace shingle
