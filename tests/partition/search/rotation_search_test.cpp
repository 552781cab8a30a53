// When frames are computed in turn, by which nodes, and what the result says about it.
#include "partition/search/rotation_search.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

Model small_front() {
  Model model = networks::make("yolov2_front", 96).value();
  take_image(model, {1 / 255.0F, 1 / 255.0F, 1 / 255.0F}, {0.0F, 0.0F, 0.0F});
  return model;
}

Cluster boards(const std::vector<double>& gflops) {
  Cluster cluster;
  for (uint32_t i = 0; i < gflops.size(); ++i)
    cluster.nodes.push_back({.id = {i}, .link_mbps = 94.2, .profile = paced_profile(gflops[i])});
  return cluster;
}

Goal stream_of_frames(int32_t open_frames) {
  return {.kind = Goal::Kind::throughput, .owner = NodeId{0}, .open_frames = open_frames};
}

// The part of the speed of all boards together that the rotation reaches.
double share_of_sum(const Model& model, const Cluster& cluster, const FoundRotation& found) {
  double sum = 0.0;
  for (const ClusterNode& node : cluster.nodes)
    sum += speed_of(model, profile_of(node), WinogradUse::never);
  return 1e9 / in_nanoseconds(found.stream.period) / sum;
}

constexpr int64_t little = 200'000;

}  // namespace

TEST_CASE("a map too small for six boards is computed in whole frames, where enough are open") {
  const Model model = small_front();
  const Cluster cluster = boards({4, 4, 4, 4, 4, 4});
  const auto one = find_plan(model, cluster, stream_of_frames(10), little);
  const auto found = find_rotation(model, cluster, stream_of_frames(10), little);
  REQUIRE(one.ok());
  REQUIRE(found.ok());
  CHECK(found->rotation.size() > 1);
  CHECK(share_of_sum(model, cluster, *found) > 0.97);
  CHECK(found->stream.period < one->stream.period);
  CHECK(defects(found->rotation, model, {}).empty());
  CHECK(found->outlines.size() == found->rotation.size());
  for (const Turn& turn : found->rotation)
    CHECK(turn.plan.predicted.period == found->stream.period);
}

TEST_CASE("groups are no more than frames are open, and a goal of latency has one plan") {
  const Model model = small_front();
  const Cluster cluster = boards({4, 4, 4, 4, 4, 4});
  for (const int32_t open : {1, 2, 3}) {
    const auto found = find_rotation(model, cluster, stream_of_frames(open), little);
    REQUIRE(found.ok());
    CHECK(std::ssize(found->rotation) <= open);
  }
  CHECK(find_rotation(model, cluster, {.owner = NodeId{0}}, little)->rotation.size() == 1);
}

TEST_CASE("a slow board joins others instead of keeping all frames behind its own waiting") {
  const Model model = small_front();
  const Cluster cluster = boards({4, 4, 4, 1, 4, 4});
  const auto found = find_rotation(model, cluster, stream_of_frames(10), little);
  REQUIRE(found.ok());
  CHECK(share_of_sum(model, cluster, *found) > 0.95);
}

TEST_CASE("a rotation that breaks the caps or the deadline is not chosen") {
  const Model model = small_front();
  Cluster cluster = boards({4, 4, 4, 4, 4, 4});
  const Goal goal = stream_of_frames(10);
  const auto free = find_rotation(model, cluster, goal, little);
  REQUIRE(free.ok());
  REQUIRE(free->rotation.size() > 1);
  // Given caps below what each node needs for whole frames
  int64_t least = free->stream.nodes[0].peak_bytes;
  for (const NodeLoad& node : free->stream.nodes) least = std::min(least, node.peak_bytes);
  for (ClusterNode& node : cluster.nodes) node.memory_bytes = least * 3 / 4;
  cluster.weights = WeightPlaces::at_home;
  const auto capped = find_rotation(model, cluster, goal, little);
  REQUIRE_MESSAGE(capped.ok(), capped.error());
  for (const NodeLoad& node : capped->stream.nodes) CHECK(node.peak_bytes <= least * 3 / 4);
  // Given a deadline that only a frame on all nodes at once meets
  Goal hasty = goal;
  hasty.deadline = free->line.latency * 6 / 10;
  const auto punctual = find_rotation(model, boards({4, 4, 4, 4, 4, 4}), hasty, little);
  REQUIRE(punctual.ok());
  CHECK(punctual->line.latency <= hasty.deadline);
}

TEST_CASE("a search from a previous rotation adapts the shares to the speeds") {
  const Model model = small_front();
  const Goal goal = stream_of_frames(12);
  const auto equal = find_rotation(model, boards({4, 4, 4, 4, 4, 4}), goal, little);
  REQUIRE(equal.ok());
  REQUIRE(equal->rotation.size() == 6);
  const Cluster slower = boards({4, 4, 4, 2, 4, 4});
  const auto near = find_rotation_near(model, slower, goal, equal->outlines,
                                       {1.0, 1.0, 1.0, 0.5, 1.0, 1.0}, little);
  REQUIRE(near.ok());
  CHECK(share_of_sum(model, slower, *near) > 0.95);
  const FoundRotation before = simulated(model, slower, goal, equal->rotation);
  CHECK(asked_of(goal, *near) < 0.9 * asked_of(goal, before));
}
