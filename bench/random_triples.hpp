// Random (network, plan, schedule) triples: a seeded network, cut at random, run on a virtual
// cluster whose nodes really compute, over wires and at speeds drawn from the seed. What is
// delivered is compared with the whole network's pass.
//
//   networks   every other one with at least 16 channels, so that Winograd computes its layers
//   plans      by seed, in turn: grids; layouts as the planner draws them, tiles of channels and
//              stairs among them; rotations of these, a frame on each plan; what the planner finds,
//              and then finds for other speeds
#pragma once

#include <cmath>
#include <cstring>

#include "bench/measure.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/native/reference.hpp"
#include "partition/search/planner.hpp"
#include "partition/search/rotation_search.hpp"
#include "sim/cluster.hpp"
#include "tests/networks/drawn_plans.hpp"

namespace shingle::bench {

struct TripleFigures {
  int64_t triples = 0, tiles_lent = 0, frames = 0, rotations = 0, replans = 0;
  networks::PlanKinds plans;
  int64_t differing_bytes = 0;
  double largest_difference =
      0.0;  // reference against XNNPACK, relative to the output's largest value
  std::vector<std::string> breaches;
};

inline sim::ClusterOptions random_cluster(networks::Random& random, uint64_t seed) {
  sim::ClusterOptions options;
  options.contents = sim::Contents::full;
  options.seed = seed;
  options.network.latency = std::chrono::microseconds(random.between(10, 5000));
  options.network.bytes_per_second = random.between(100'000, 20'000'000);
  const auto machines = static_cast<uint32_t>(random.between(1, 6));
  for (uint32_t i = 0; i < machines; ++i) {
    sim::Machine machine;
    machine.node.id = NodeId{i};
    machine.node.arithmetic_class = "virtual";
    machine.node.seed = seed;
    machine.gflops = 0.002 * random.between(1, 40);
    machine.node.limits.compute_slots = static_cast<uint32_t>(random.between(1, 2));
    machine.node.limits.waiting_frames = max_plans;
    machine.node.limits.plans = max_plans;
    machine.node.limits.steal_keep = static_cast<uint32_t>(random.between(0, 1));
    machine.node.limits.link_credit_bytes = random.between(1000, 100'000);
    machine.node.limits.link_bytes_per_second = 1'000'000'000;
    options.machines.push_back(machine);
  }
  // Odd seeds compute with the reference, even ones with XNNPACK.
  if (seed % 2 == 1) {
    options.make_executor = [] { return std::make_unique<ReferenceExecutor>(); };
  } else {
    options.make_executor = [] { return std::make_unique<NativeExecutor>(); };
  }
  return options;
}

inline Cluster random_homes(networks::Random& random, const sim::ClusterOptions& cluster) {
  Cluster homes;
  for (const sim::Machine& machine : cluster.machines) {
    if (homes.nodes.empty() || random.chance(0.8)) {
      homes.nodes.push_back({machine.node.id, machine.gflops, 100.0, 0});
    }
  }
  return homes;
}

inline Plan random_grid(networks::Random& random, const Model& model, const Cluster& homes) {
  PlanOptions options;
  for (uint32_t layer = 0; layer + 1 < model.layers.size(); ++layer) {
    if (random.chance(0.3)) options.cut_after.push_back({layer});
  }
  options.grid = {random.between(1, 5), random.between(1, 5)};
  return grid_plan(model, homes, options);
}

// Plans as an owner does, and then again for other speeds. Only the first plan if the second search
// found nothing better.
inline std::vector<Rotation> replanned(networks::Random& random, const Model& model,
                                       const Cluster& homes) {
  const bool stream = random.chance(0.5);
  const Goal goal{.kind = stream ? Goal::Kind::throughput : Goal::Kind::latency,
                  .owner = NodeId{0},
                  .open_frames = random.between(1, 4)};
  std::vector<double> speed_ups;
  for (size_t i = 0; i < homes.nodes.size(); ++i)
    speed_ups.push_back(random.chance(0.5) ? 1.0 : random.uniform(0.1F, 1.0F));
  std::vector<Rotation> found = must(networks::planned_twice(model, homes, goal, speed_ups));
  if (found.size() == 2 && print(found[1]) == print(found[0])) found.pop_back();
  return found;
}

inline std::vector<Rotation> random_rotations(networks::Random& random, const Model& model,
                                              const Cluster& homes, uint64_t seed) {
  switch (seed % 8 / 2) {
    case 0:
      return {{{random_grid(random, model, homes)}}};
    case 1:
      return {{{networks::drawn_plan(random, model, homes)}}};
    case 2:
      return {networks::drawn_rotation(random, model, homes)};
    default:
      return replanned(random, model, homes);
  }
}

// Largest |a - b| over the outputs, relative to the largest |a| of each output.
inline double largest_difference(const sim::Outcome& a, const sim::Outcome& b) {
  double worst = 0.0;
  for (const auto& [tensor, bytes] : a) {
    const size_t count = floats_in(bytes.size());
    std::vector<float> x(count), y(count);
    std::memcpy(x.data(), bytes.data(), bytes.size());
    std::memcpy(y.data(), b.at(tensor).data(), bytes.size());
    double scale = 1e-6, difference = 0.0;
    for (size_t i = 0; i < count; ++i) {
      scale = std::max(scale, std::abs(static_cast<double>(x[i])));
      difference = std::max(difference, std::abs(static_cast<double>(x[i]) - y[i]));
    }
    worst = std::max(worst, difference / scale);
  }
  return worst;
}

// Every plan of every rotation gets a frame.
inline int64_t play(sim::VirtualCluster& cluster, const Model& model,
                    const std::vector<Rotation>& rotations, TripleFigures& figures) {
  int64_t frames = 0;
  for (const Rotation& rotation : rotations) {
    figures.rotations += rotation.size() > 1 ? 1 : 0;
    for (const Turn& turn : rotation) {
      figures.plans += networks::kinds_of(turn.plan, model);
      cluster.propose(Time{} + std::chrono::milliseconds(1), NodeId{0}, turn.plan);
      cluster.capture(Time{} + std::chrono::milliseconds(2), NodeId{0}, hash_of(turn.plan),
                      std::chrono::seconds(1));
      ++frames;
    }
  }
  figures.replans += std::ssize(rotations) - 1;
  figures.frames += frames;
  return frames;
}

inline void run_triple(uint64_t seed, TripleFigures& figures) {
  networks::Random random(seed);
  const Model model =
      seed % 4 < 2 ? networks::random_model(random) : networks::random_wide_model(random);
  const sim::ClusterOptions options = random_cluster(random, seed);
  sim::VirtualCluster cluster(options, model);
  const Cluster homes = random_homes(random, options);
  const int64_t frames =
      play(cluster, model, random_rotations(random, model, homes, seed / 2), figures);
  const bool at_rest = cluster.run(Time{} + std::chrono::minutes(10));
  for (const std::string& breach : cluster.breaches()) {
    figures.breaches.push_back("seed " + std::to_string(seed) + ": " + breach);
  }
  if (!at_rest || static_cast<int64_t>(cluster.fates().delivered) != frames) {
    figures.breaches.push_back("seed " + std::to_string(seed) + ": a frame was not delivered");
  }
  for (const sim::Machine& machine : options.machines) {
    figures.tiles_lent += static_cast<int64_t>(cluster.node(machine.node.id).counters().tiles_lent);
  }
  figures.differing_bytes += cluster.differing_bytes();
  ++figures.triples;

  ReferenceExecutor reference;
  NativeExecutor native;
  const FrameKey frame{NodeId{0}, 1, seed};
  const auto a = sim::whole_run(model, frame, reference);
  const auto b = sim::whole_run(model, frame, native);
  if (a && b) {
    figures.largest_difference = std::max(figures.largest_difference, largest_difference(*a, *b));
  } else {
    figures.breaches.push_back("seed " + std::to_string(seed) + ": " + (a ? b : a).error());
  }
}

inline TripleFigures run_triples(int count) {
  TripleFigures figures;
  for (int seed = 1; seed <= count; ++seed) {
    run_triple(static_cast<uint64_t>(seed), figures);
    if (seed % 1000 == 0) std::fprintf(stderr, "  %d of %d triples\n", seed, count);
  }
  return figures;
}

}  // namespace shingle::bench
