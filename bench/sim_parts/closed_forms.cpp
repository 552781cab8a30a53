// The network's part of `closed_forms` in `tools/bench sim`: max-min rates of random networks,
// against a solver of its own that fixes one bottleneck after the other. The device's part (M/D/1,
// heat, energy) is in devices.cpp.
//
//   bench-sim-closed-forms [--json] [--seed=N]
#include <cmath>
#include <cstring>
#include <limits>

#include "bench/measure.hpp"
#include "partition/base/dice.hpp"
#include "partition/network/max_min.hpp"

namespace shingle::bench {
namespace {

constexpr int drawn_networks = 1000;
constexpr double least_room = 0.1;  // of a capacity: what acknowledgements leave at least

struct DrawnFlow {
  std::vector<ResourceUse> uses, acknowledgements;
  double limit = MaxMin::no_limit;
};

struct DrawnNetwork {
  std::vector<double> capacities;
  std::vector<DrawnFlow> flows;
};

std::vector<ResourceUse> draw_uses(Dice& dice, size_t resources, size_t count, double share) {
  std::vector<ResourceUse> uses;
  for (size_t i = 0; i < count; ++i) {
    const auto resource = static_cast<uint32_t>(dice.below(resources));
    if (std::ranges::any_of(uses, [&](const ResourceUse& use) { return use.resource == resource; }))
      continue;
    uses.push_back({resource, share * (dice.below(4) == 0 ? 2.0 : 1.0)});
  }
  return uses;
}

DrawnNetwork draw(Dice& dice) {
  DrawnNetwork network;
  for (size_t i = 0, count = 2 + dice.below(30); i < count; ++i)
    network.capacities.push_back(1e5 + 1e7 * dice.unit());
  const size_t resources = network.capacities.size();
  for (size_t i = 0, count = 1 + dice.below(60); i < count; ++i) {
    DrawnFlow flow{.uses = draw_uses(dice, resources, 1 + dice.below(4), 1.0),
                   .acknowledgements = {}};
    if (dice.below(2) == 0)
      flow.acknowledgements = draw_uses(dice, resources, 1 + dice.below(3), 0.05);
    if (dice.below(4) == 0) flow.limit = 1e4 + 3e6 * dice.unit();
    network.flows.push_back(std::move(flow));
  }
  return network;
}

// The bottleneck of those that still rise is the resource that leaves each of them least; they get
// that, and it is taken off all other resources that they use.
std::vector<double> by_bottlenecks(std::vector<double> room, const std::vector<DrawnFlow>& flows) {
  std::vector<double> rates(flows.size(), -1.0);
  for (size_t fixed = 0; fixed < flows.size();) {
    std::vector<double> weights(room.size(), 0.0);
    for (size_t i = 0; i < flows.size(); ++i)
      for (const ResourceUse& use : flows[i].uses)
        if (rates[i] < 0.0) weights[use.resource] += use.weight;
    double level = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < room.size(); ++i)
      if (weights[i] > 0.0) level = std::min(level, room[i] / weights[i]);
    for (size_t i = 0; i < flows.size(); ++i)
      if (rates[i] < 0.0) level = std::min(level, flows[i].limit);
    const double at_most = level * (1.0 + 1e-12);
    std::vector<bool> full(room.size());
    for (size_t i = 0; i < room.size(); ++i)
      full[i] = weights[i] > 0.0 && room[i] / weights[i] <= at_most;
    for (size_t i = 0; i < flows.size(); ++i) {
      const bool held = std::ranges::any_of(
          flows[i].uses, [&](const ResourceUse& use) { return full[use.resource]; });
      if (rates[i] >= 0.0 || (!held && flows[i].limit > at_most)) continue;
      rates[i] = level;
      ++fixed;
      for (const ResourceUse& use : flows[i].uses) room[use.resource] -= use.weight * level;
    }
  }
  return rates;
}

// Acknowledgements come first: repeated until they are those of the rates.
std::vector<double> expected_rates(const DrawnNetwork& network) {
  std::vector<double> rates(network.flows.size(), 0.0);
  for (int repeat = 0; repeat < 60; ++repeat) {
    std::vector<double> room = network.capacities;
    for (size_t i = 0; i < rates.size(); ++i)
      for (const ResourceUse& use : network.flows[i].acknowledgements)
        room[use.resource] -= use.weight * rates[i];
    for (size_t i = 0; i < room.size(); ++i)
      room[i] = std::max(room[i], least_room * network.capacities[i]);
    rates = by_bottlenecks(std::move(room), network.flows);
  }
  return rates;
}

// All flows begin one after the other, each time with new rates, as they do in a simulation.
double error_of(const DrawnNetwork& network) {
  MaxMin solver(network.capacities);
  for (const DrawnFlow& flow : network.flows) {
    const MaxMin::Flow added = solver.add_flow(flow.uses, flow.acknowledgements);
    solver.start(added, flow.limit);
    solver.solve();
  }
  const std::vector<double> expected = expected_rates(network);
  double worst = 0.0;
  for (MaxMin::Flow i = 0; i < expected.size(); ++i)
    worst = std::max(worst, std::abs(solver.rate(i) / expected[i] - 1.0));
  return worst;
}

int run(uint64_t seed, bool json) {
  Dice dice(seed);
  double worst = 0.0;
  size_t flows = 0;
  for (int i = 0; i < drawn_networks; ++i) {
    const DrawnNetwork network = draw(dice);
    flows += network.flows.size();
    worst = std::max(worst, error_of(network));
  }
  std::printf("max-min rates of %d networks with %zu flows: worst %.2e %% (target 0.1)\n",
              drawn_networks, flows, 100.0 * worst);
  if (json) std::printf("{\"closed_forms_max_min\": %.3e}\n", worst);
  return worst <= 0.001 ? 0 : 1;
}

}  // namespace
}  // namespace shingle::bench

int main(int argc, char** argv) {
  uint64_t seed = 1;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0)
      json = true;
    else if (std::strncmp(argv[i], "--seed=", 7) == 0)
      seed = std::strtoull(argv[i] + 7, nullptr, 10);
    else
      return std::fprintf(stderr, "bench-sim-closed-forms: --json and --seed=N are known\n"), 2;
  }
  return shingle::bench::run(seed, json);
}
