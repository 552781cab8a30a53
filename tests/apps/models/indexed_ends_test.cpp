// The ends of networks that sort, take and change elements by index: tiles on several nodes must
// have the whole's bits.
#include <doctest/doctest.h>

#include "apps/run/choose_plan.hpp"
#include "partition/readers/onnx.hpp"
#include "tests/apps/tiled.hpp"
#include "tests/networks/drawn_plans.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxAttributes;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

constexpr int64_t classes = 3, anchors = 12 * 16;

std::string convolution(OnnxGraph& graph, const std::string& in, int64_t from, int64_t to,
                        int64_t stride) {
  const std::vector<float> weights =
      networks::random_input({1, 1, static_cast<int32_t>(9 * from * to)}, 7);
  return graph.node("Conv", {in, graph.floats({to, from, 3, 3}, weights)},
                    {{"kernel_shape", Dims{3, 3}},
                     {"strides", Dims{stride, stride}},
                     {"pads", Dims{1, 1, 1, 1}}});
}

// Boxes "boxes" and scores "scores" of all anchors, [1, anchors, ...].
void add_anchors(OnnxGraph& graph) {
  graph.input("in", {1, 3, 48, 64}, ElementType::f32);
  const std::string map = graph.node("Relu", {convolution(graph, "in", 3, 8, 2)});
  const std::string head = convolution(graph, map, 8, 4 + classes, 2);
  const std::string rows = graph.node("Reshape", {head, graph.integers({1, 4 + classes, anchors})});
  const std::string turned = graph.node("Transpose", {rows}, {{"perm", Dims{0, 2, 1}}});
  graph.node_with_outputs("Split", {turned, graph.integers({4, classes})}, {{"axis", int64_t{2}}},
                          {"boxes", "scores"});
}

// The best anchors, and the best scores of these.
std::string yolo26() {
  OnnxGraph graph;
  add_anchors(graph);
  const auto column = [&](const std::string& value) {
    return graph.node("Unsqueeze", {value, graph.integers({-1})});
  };
  const std::string best =
      graph.node("ReduceMax", {"scores"}, {{"axes", Dims{-1}}, {"keepdims", int64_t{0}}});
  graph.node_with_outputs("TopK", {best, graph.integers({20})}, {}, {"high", "first"});
  const auto of_anchors = [&](const std::string& values, int64_t width) {
    const std::string indices =
        graph.node("Tile", {column("first"), graph.integers({1, 1, width})});
    return graph.node("GatherElements", {values, indices}, {{"axis", int64_t{1}}});
  };
  const std::string boxes = of_anchors("boxes", 4), scores = of_anchors("scores", classes);
  const std::string flat = graph.node("Reshape", {scores, graph.integers({1, 20 * classes})});
  graph.node_with_outputs("TopK", {flat, graph.integers({20})}, {}, {"top", "places"});
  const std::string anchor = graph.node("Div", {"places", graph.integers({classes})});
  const std::string chosen =
      graph.node("GatherND", {boxes, column(anchor)}, {{"batch_dims", int64_t{1}}});
  const std::string kind = graph.node("Mod", {"places", graph.integers({classes})});
  const std::string number = graph.node("Cast", {column(kind)}, {{"to", int64_t{1}}});
  graph.node("Concat", {chosen, column("top"), number}, {{"axis", int64_t{2}}}, "out");
  graph.output("out", {1, 20, 6});
  return graph.file(13);
}

// Maxima put back, a row of the map changed, and columns in another order.
std::string unpooled() {
  OnnxGraph graph;
  graph.input("in", {1, 3, 48, 64}, ElementType::f32);
  const std::string map = convolution(graph, "in", 3, 8, 2);
  const OnnxAttributes twice{{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}};
  graph.node_with_outputs("MaxPool", {map}, twice, {"pooled", "places"});
  const std::string inner = graph.node("Tanh", {"pooled"});
  const std::string back = graph.node("MaxUnpool", {inner, "places"}, twice);
  const std::string sum = convolution(graph, graph.node("Add", {map, back}), 8, 6, 1);
  const std::string columns =
      graph.node("ReduceMean", {sum}, {{"axes", Dims{0, 1, 2}}, {"keepdims", int64_t{0}}});
  graph.node_with_outputs("TopK", {columns, graph.integers({32})}, {{"largest", int64_t{0}}},
                          {"rising", "order"});
  const std::string sorted = graph.node("Gather", {sum, "order"}, {{"axis", int64_t{3}}});
  const std::string row =
      graph.node("Slice", {sorted, graph.integers({3}), graph.integers({4}), graph.integers({2})});
  const std::string worst = graph.node("ArgMin", {sum}, {{"axis", int64_t{2}}});
  graph.node("ScatterElements", {sorted, worst, row},
             {{"axis", int64_t{2}}, {"reduction", std::string("add")}}, "out");
  graph.output("out", {1, 6, 24, 32});
  return graph.file(16);
}

}  // namespace

TEST_CASE("networks that sort and take have the same bits on four nodes as on one") {
  for (const std::string& file : {yolo26(), unpooled()}) {
    const Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
    REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
    CHECK(tiled_differing_bytes(*model, make_plan(*model, equal_nodes(4)).value(), 4) == 0);
    PlanOptions small{.cut_after = {}, .grid = {2, 2}};
    for (uint32_t layer = 2; layer + 1 < model->layers.size(); layer += 3)
      small.cut_after.push_back({layer});
    CHECK(tiled_differing_bytes(*model, grid_plan(*model, equal_nodes(3), small), 3) == 0);
    networks::Random random(5);
    for (int i = 0; i < 6; ++i) {
      const Plan plan = networks::drawn_plan(random, *model, equal_nodes(8));
      CHECK(tiled_differing_bytes(*model, plan, 8) == 0);
    }
  }
}
