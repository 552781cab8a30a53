// What streams leave each other of a node: figures that follow by hand.
#include "partition/simulation/stream_share.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace std::chrono_literals;

namespace {

Cluster two_nodes() {
  Cluster cluster;
  for (const uint32_t id : {3U, 5U}) {
    ClusterNode node{.id = {id}};
    NodeProfile profile;
    for (WorkCost& cost : profile.costs) cost.ns_per_mac = 1.0;
    node.profile = profile;
    cluster.nodes.push_back(node);
  }
  return cluster;
}

// Node 3 computes 60 ns of a frame, node 5 nothing; a frame takes 80 ns.
Timeline busy_first() {
  Timeline line;
  line.period = 80ns;
  line.nodes = {{.node = {3}, .busy = 60ns, .peak_bytes = 1000}, {.node = {5}}};
  return line;
}

TEST_CASE("a stream takes of a node what it computes there between two of its frames") {
  const StreamShare share = share_of(two_nodes(), std::nullopt, busy_first(), 240ns);
  REQUIRE(share.size() == 1);  // of node 5 it takes nothing
  CHECK(share[0].node == NodeId{3});
  CHECK(share[0].busy == doctest::Approx(0.25));
  CHECK(share[0].bytes == 1000);
}

TEST_CASE("frames that come faster than a stream computes them are computed at its own pace") {
  const StreamShare share = share_of(two_nodes(), std::nullopt, busy_first(), 10ns);
  CHECK(share.at(0).busy == doctest::Approx(0.75));
}

TEST_CASE("a node with two slots is busy for half as long") {
  Cluster cluster = two_nodes();
  cluster.nodes[0].profile->slots = 2;
  CHECK(share_of(cluster, std::nullopt, busy_first(), 240ns).at(0).busy == doctest::Approx(0.125));
}

TEST_CASE("what a program takes once is not what its streams take") {
  Cluster cluster = two_nodes();
  cluster.footprint = Footprint{};
  cluster.footprint->process_bytes = 300;
  cluster.footprint->owner_process_bytes = 500;
  cluster.footprint->peer_bytes = 20;
  CHECK(share_of(cluster, NodeId{3}, busy_first(), 240ns).at(0).bytes == 1000 - 500 - 20);
  CHECK(share_of(cluster, NodeId{5}, busy_first(), 240ns).at(0).bytes == 1000 - 300 - 20);
  // An owner beside the nodes is a second peer of each of them.
  CHECK(share_of(cluster, std::nullopt, busy_first(), 240ns).at(0).bytes == 1000 - 300 - 2 * 20);
  CHECK(share_of(cluster, NodeId{9}, busy_first(), 240ns).at(0).bytes == 1000 - 300 - 2 * 20);
}

TEST_CASE("an owner that computes nothing still holds the stream's frames and results") {
  Timeline line = busy_first();
  line.nodes[1].peak_bytes = 700;
  Cluster cluster = two_nodes();
  const StreamShare share = share_of(cluster, NodeId{5}, line, 240ns);
  REQUIRE(share.size() == 2);
  CHECK(share[1].node == NodeId{5});
  CHECK(share[1].busy == 0.0);
  CHECK(share[1].bytes == 700);
  cluster.nodes[1].memory_bytes = 1000;
  CHECK(beside(cluster, share).nodes[1].memory_bytes == 300);
  CHECK(profile_of(beside(cluster, share).nodes[1]).costs[0].ns_per_mac == doctest::Approx(1.0));
}

TEST_CASE("beside a stream that takes half of a node everything takes twice as long there") {
  const Cluster left = beside(two_nodes(), {{.node = {3}, .busy = 0.5}});
  CHECK(profile_of(left.nodes[0]).costs[0].ns_per_mac == doctest::Approx(2.0));
  CHECK(profile_of(left.nodes[1]).costs[0].ns_per_mac == doctest::Approx(1.0));
  CHECK(left.nodes[0].link_mbps == two_nodes().nodes[0].link_mbps);
}

TEST_CASE("however much others take of a node, a quarter of it is left") {
  const StreamShare all =
      together({{.node = {3}, .busy = 0.7}}, {{.node = {3}, .busy = 0.9}, {.node = {5}}});
  REQUIRE(all.size() == 2);
  CHECK(all[0].busy == 1.0);
  CHECK(profile_of(beside(two_nodes().nodes[0], all)).costs[0].ns_per_mac == doctest::Approx(4.0));
}

TEST_CASE("a cap is smaller by what others hold, and stays a cap") {
  ClusterNode node = two_nodes().nodes[0];
  CHECK(beside(node, {{.node = {3}, .bytes = 10}}).memory_bytes == 0);  // there is none
  node.memory_bytes = 100;
  CHECK(beside(node, {{.node = {3}, .bytes = 10}}).memory_bytes == 90);
  CHECK(beside(node, {{.node = {3}, .bytes = 1000}}).memory_bytes == 1);
  CHECK(beside(node, {{.node = {5}, .bytes = 10}}).memory_bytes == 100);
}

}  // namespace
