#include "partition/search/score.hpp"

#include <algorithm>

namespace shingle {
namespace {

// Both values were chosen by what the search finds. With wires_part 0.5 the plan for YOLOv2's front
// sends 4.2 MiB instead of 3.5. With 0.65 the plan for DeiT-small on four boards takes 1.40 s
// instead of 1.27 s.
constexpr double wires_part = 0.55, work_part = 0.12;

constexpr double broken = 1e18;

// With so many open frames, a plan reaches its steady rate; more would only cost allowance.
constexpr int32_t enough_open = 3;

double as_double(int64_t number) { return static_cast<double>(number); }

}  // namespace

int64_t least_cap(const Cluster& cluster, int64_t peak_bytes) {
  const double headroom = cluster.footprint ? cluster.footprint->headroom : 0.0;
  return peak_bytes + static_cast<int64_t>(as_double(peak_bytes) * headroom);
}

namespace {

// The factors by which memory exceeds the caps, multiplied.
double overrun(const Cluster& cluster, const Timeline& line) {
  double sum = 0.0;
  for (size_t i = 0; i < line.nodes.size(); ++i) {
    const double cap = as_double(cluster.nodes[i].memory_bytes);
    if (cap > 0.0)
      sum += std::max(0.0, as_double(least_cap(cluster, line.nodes[i].peak_bytes)) / cap - 1.0);
  }
  return sum;
}

// What all ports send together at most.
double ports_mbps(const Cluster& cluster) {
  if (cluster.medium_mbps) return *cluster.medium_mbps * double(cluster.nodes.size());
  double sum = 0.0;
  for (const ClusterNode& node : cluster.nodes) sum += std::max(0.0, node.link_mbps);
  return sum;
}

// The bytes of the node that uses most; if caps differ, as a part of its own cap times the largest
// cap. The mean counts a little, so that a step in the right direction has an effect before the
// maximum falls.
double fullest(const Cluster& cluster, const Timeline& line) {
  int64_t largest = 0;
  for (const ClusterNode& node : cluster.nodes) largest = std::max(largest, node.memory_bytes);
  double most = 0.0, sum = 0.0;
  for (size_t i = 0; i < line.nodes.size(); ++i) {
    const int64_t cap = cluster.nodes[i].memory_bytes;
    if (largest > 0 && cap == 0) continue;
    const double scale = cap > 0 ? as_double(largest) / as_double(cap) : 1.0;
    most = std::max(most, scale * as_double(line.nodes[i].peak_bytes));
    sum += scale * as_double(line.nodes[i].peak_bytes);
  }
  return most + 0.01 * sum / as_double(static_cast<int64_t>(line.nodes.size()));
}

double asked(const Workshop& workshop, const Timeline& line) {
  switch (workshop.goal().kind) {
    case Goal::Kind::latency:
      return in_nanoseconds(line.latency);
    case Goal::Kind::throughput:
      return in_nanoseconds(line.period);
    case Goal::Kind::energy:
      return line.energy_joules * 1e9;
    case Goal::Kind::memory:
      return fullest(workshop.cluster(), line);
  }
  return 0.0;
}

}  // namespace

StreamOfFrames stream_of(const Cluster& cluster, const Goal& goal) {
  const bool of_memory = goal.kind == Goal::Kind::memory ||
                         std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                                     [](const ClusterNode& node) { return node.memory_bytes > 0; });
  if (goal.open_frames < 2 || (!of_memory && goal.kind != Goal::Kind::throughput)) return {};
  return steady_stream(of_memory ? goal.open_frames : std::min(goal.open_frames, enough_open));
}

bool keeps_caps(const Cluster& cluster, const Timeline& line) {
  return overrun(cluster, line) == 0.0;
}

double value_of(const Workshop& workshop, const Timeline& line) {
  const Goal& goal = workshop.goal();
  const double value = asked(workshop, line);
  if (goal.kind == Goal::Kind::memory) return value;
  double beyond = overrun(workshop.cluster(), line);
  if (goal.deadline > Duration::zero()) {
    beyond += std::max(0.0, in_nanoseconds(line.latency) / in_nanoseconds(goal.deadline) - 1.0);
  }
  return beyond > 0.0 ? value + broken * (1.0 + beyond) : value;
}

namespace {

// The time that a plan is judged by, or, where the goal is not time, that of all nodes computing
// the model: a slow plan must not seem to waste less.
double time_of_waste_ns(const Workshop& workshop, const Timeline& line) {
  const Goal::Kind kind = workshop.goal().kind;
  if (kind == Goal::Kind::latency) return in_nanoseconds(line.latency);
  if (kind == Goal::Kind::throughput) return in_nanoseconds(line.period);
  double gflops = 1e-9;
  for (const ClusterNode& node : workshop.cluster().nodes) gflops += std::max(0.0, node.gflops);
  return 2.0 * as_double(workshop.model_macs()) / gflops;
}

// In which all ports send so many bytes.
double sending_ns(const Workshop& workshop, int64_t wire_bytes) {
  return as_double(wire_bytes) * 8000.0 / std::max(1e-6, ports_mbps(workshop.cluster()));
}

}  // namespace

double waste(const Workshop& workshop, const Timeline& line) {
  int64_t macs = 0;
  for (const NodeLoad& node : line.nodes) macs += node.macs;
  const double elapsed_ns = time_of_waste_ns(workshop, line);
  return wires_part * sending_ns(workshop, line.wire_bytes) / std::max(1.0, elapsed_ns) +
         work_part * as_double(macs) / as_double(workshop.model_macs());
}

// The score as waste() and score() have it, solved for the latency.
Duration longest_latency(const Workshop& workshop, int64_t macs, int64_t wire_bytes,
                         const Bar& bar) {
  if (workshop.goal().kind != Goal::Kind::latency) return Duration::max();
  const double sent_ns = sending_ns(workshop, wire_bytes);
  const double work = work_part * as_double(macs) / as_double(workshop.model_macs());
  const double nanoseconds =
      (bar.score - bar.waste_weight * wires_part * sent_ns) / (1.0 + bar.waste_weight * work);
  const double most = std::min(nanoseconds, bar.value);
  if (most >= in_nanoseconds(Duration::max())) return Duration::max();
  return Duration(static_cast<int64_t>(std::max(0.0, most)) + 2);  // of rounding errors
}

double score(double value, double waste, double weight) { return value * (1.0 + weight * waste); }

}  // namespace shingle
