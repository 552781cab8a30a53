// What counts as waste beside a plan's value.
#include "partition/search/score.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

namespace {

// A frame of 1 MB on the wires, in one second, without redundant work.
Timeline one_second(const Model& model) {
  Timeline line;
  line.latency = line.period = std::chrono::seconds(1);
  line.wire_bytes = 1'000'000;
  line.nodes.resize(1);
  line.nodes[0].macs = total_macs(model);
  return line;
}

double waste_of(const Timeline& line, const Cluster& cluster, Goal::Kind kind) {
  const Model model = chain(16);
  const LayerOrder order = layer_order(model);
  const Goal goal{.kind = kind};
  const Workshop workshop(model, cluster, order, goal, WinogradUse::never);
  return waste(workshop, line);
}

Cluster four_nodes(double mbps) {
  Cluster cluster = equal_nodes(4);
  for (ClusterNode& node : cluster.nodes) node.link_mbps = mbps;
  return cluster;
}

double of_latency(const Timeline& line, const Cluster& cluster) {
  return waste_of(line, cluster, Goal::Kind::latency);
}

// How much of the waste comes from bytes.
double of_bytes(Timeline line, const Cluster& cluster) {
  const double all = of_latency(line, cluster);
  line.wire_bytes = 0;
  return all - of_latency(line, cluster);
}

}  // namespace

TEST_CASE("bytes count by the share of the time in which they keep the ports busy") {
  const Timeline line = one_second(chain(16));
  const double slow = of_bytes(line, four_nodes(10.0)), fast = of_bytes(line, four_nodes(100.0));
  CHECK(slow == doctest::Approx(10.0 * fast));
  // half of the ports' time, times 0.55
  CHECK(of_bytes(line, four_nodes(4.0)) == doctest::Approx(0.275));
}

TEST_CASE("the longer a frame takes, the less its bytes count") {
  Timeline line = one_second(chain(16));
  const double before = of_bytes(line, four_nodes(10.0));
  line.latency *= 4;
  CHECK(of_bytes(line, four_nodes(10.0)) == doctest::Approx(before / 4.0));
}

TEST_CASE("a stream's bytes count by its period, a frame's by its latency") {
  Timeline line = one_second(chain(16));
  line.latency *= 4;
  const Cluster cluster = four_nodes(10.0);
  CHECK(waste_of(line, cluster, Goal::Kind::throughput) > of_latency(line, cluster));
}

TEST_CASE("a busy medium wastes as much as one busy port") {
  const Timeline line = one_second(chain(16));
  Cluster medium = four_nodes(1'000.0);
  medium.medium_mbps = 8.0;
  CHECK(of_bytes(line, medium) == doctest::Approx(of_bytes(line, four_nodes(8.0))));
}

TEST_CASE("bytes on wires without a rate are the largest waste") {
  const Timeline line = one_second(chain(16));
  const double dead = of_bytes(line, four_nodes(0.0));
  CHECK(std::isfinite(dead));
  CHECK(dead > of_bytes(line, four_nodes(1.0)));
}

TEST_CASE("redundant work counts by the model's work") {
  Timeline line = one_second(chain(16));
  const Cluster cluster = four_nodes(10.0);
  const double once = of_latency(line, cluster);
  line.nodes[0].macs *= 2;
  CHECK(of_latency(line, cluster) == doctest::Approx(once + 0.12));
}

TEST_CASE("the longest latency of interest is that with the score or the value of the bar") {
  const Model model = chain(16);
  const LayerOrder order = layer_order(model);
  const Cluster cluster = four_nodes(10.0);
  const Goal goal, stream{.kind = Goal::Kind::throughput};
  const Workshop workshop(model, cluster, order, goal, WinogradUse::never);
  const Timeline line = one_second(model);
  Bar bar{.waste_weight = 2.0};
  const auto longest = [&](const Workshop& of) {
    return in_nanoseconds(longest_latency(of, line.nodes[0].macs, line.wire_bytes, bar));
  };
  CHECK(longest(workshop) == in_nanoseconds(Duration::max()));
  bar.score = score(value_of(workshop, line), waste(workshop, line), bar.waste_weight);
  CHECK(longest(workshop) == doctest::Approx(1e9).epsilon(1e-8));
  CHECK(longest(workshop) >= 1e9);
  bar.value = 4e8;
  CHECK(longest(workshop) == doctest::Approx(4e8).epsilon(1e-7));
  CHECK(longest(Workshop(model, cluster, order, stream, WinogradUse::never)) ==
        in_nanoseconds(Duration::max()));
}
