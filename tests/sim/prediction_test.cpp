// Compares the planner's predictions with the real Nodes in virtual time, on the same boards and
// wires.
#include <doctest/doctest.h>

#include "partition/search/rotation_search.hpp"
#include "sim/rehearsal.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

Model picture_model(const std::string& name, int32_t size) {
  Model model = std::move(networks::make(name, size)).value();
  take_image(model, {1 / 255.0F, 1 / 255.0F, 1 / 255.0F}, {0.0F, 0.0F, 0.0F});
  return model;
}

Cluster boards(const std::vector<double>& gflops, double mbps) {
  Cluster cluster;
  for (uint32_t i = 0; i < gflops.size(); ++i) {
    ClusterNode node{.id = NodeId{i}};
    node.profile = paced_profile(gflops[i]);
    node.link_mbps = mbps;
    cluster.nodes.push_back(std::move(node));
  }
  return cluster;
}

// The bytes of a captured frame at its owner: the planner counts them, the virtual nodes do not.
int64_t frame_bytes(const Model& model, const Cluster& cluster, size_t node, NodeId owner) {
  if (cluster.nodes[node].id != owner) return 0;
  int64_t bytes = 0;
  for (TensorId input : model.inputs)
    bytes += model.at(input).shape.elements() * bytes_of(model.at(input).type);
  return bytes;
}

void agree(const Model& model, const Cluster& cluster, Goal goal) {
  goal.owner = NodeId{0};
  const Result<FoundRotation> found = find_rotation(model, cluster, goal, 300'000);
  REQUIRE(found.ok());
  const size_t round = round_of(found->rotation).size();
  const Result<Rehearsed> alone =
      rehearse(model, cluster, found->rotation, {0}, {static_cast<int32_t>(round), 1});
  REQUIRE_MESSAGE(alone.ok(), alone.error());
  const double predicted = in_nanoseconds(found->line.latency);
  CHECK(in_nanoseconds(alone->latency) == doctest::Approx(predicted).epsilon(0.10));
  CHECK(alone->payload_bytes == found->line.wire_bytes);
  for (size_t i = 0; i < cluster.nodes.size(); ++i) {
    INFO("canvases of node " << i);
    const int64_t held = alone->canvas_bytes[i] + frame_bytes(model, cluster, i, {0});
    CHECK(held == found->line.nodes[i].canvas_bytes);
  }
  const Result<Rehearsed> stream =
      rehearse(model, cluster, found->rotation, {0}, steady_stream(goal.open_frames, round));
  REQUIRE_MESSAGE(stream.ok(), stream.error());
  const double period = in_nanoseconds(found->stream.period);
  CHECK(in_nanoseconds(stream->period) == doctest::Approx(period).epsilon(0.10));
}

}  // namespace

TEST_CASE("six equal boards take what was predicted for one frame and for a stream" *
          doctest::test_suite("long")) {
  agree(picture_model("yolov2_front", 608), boards({4, 4, 4, 4, 4, 4}, 47.0), {});
  agree(picture_model("yolov2_front", 608), boards({4, 4, 4, 4, 4, 4}, 47.0),
        {.kind = Goal::Kind::throughput, .open_frames = 3});
}

TEST_CASE("six boards that take small frames in turn take what was predicted") {
  agree(picture_model("yolov2_front", 128), boards({4, 4, 4, 4, 4, 4}, 47.0),
        {.kind = Goal::Kind::throughput, .open_frames = 10});
  agree(picture_model("yolov2_front", 96), boards({4, 4, 4, 2, 4, 4}, 47.0),
        {.kind = Goal::Kind::throughput, .open_frames = 8});
}

TEST_CASE("the whole of YOLOv2, its route and reorg included, takes what was predicted") {
  agree(picture_model("yolov2", 608), boards({4, 4, 4, 4, 4, 4}, 47.0), {});
}

TEST_CASE("unequal boards take what was predicted") {
  agree(picture_model("yolov2", 416), boards({1.7, 1.7, 3.4, 3.4, 6.8, 6.8}, 47.0), {});
}

TEST_CASE("boards on one medium take what was predicted") {
  Cluster cluster = boards({4, 4, 4, 4, 4, 4}, 47.0);
  cluster.medium_mbps = 11.8;
  agree(picture_model("yolov2", 416), cluster, {});
}

TEST_CASE("residual, inverted and three-headed networks take what was predicted" *
          doctest::test_suite("long")) {
  for (const std::string name : {"resnet50", "mobilenetv2", "yolov8n", "yolov3_tiny"}) {
    INFO(name);
    agree(picture_model(name, 0), boards({4, 4, 4, 4}, 47.0), {});
  }
}

}  // namespace shingle::sim
