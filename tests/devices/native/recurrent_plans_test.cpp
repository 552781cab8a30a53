// A reader of text in small: convolutions, then two recurrent layers of two directions, on four
// nodes. Every plan gives the bytes of one machine.
#include <doctest/doctest.h>

#include "devices/native/native_executor.hpp"
#include "devices/native/native_footprint.hpp"
#include "devices/native/reference.hpp"
#include "partition/readers/onnx.hpp"
#include "partition/search/planner.hpp"
#include "tests/conformance/tiles.hpp"
#include "tests/networks/drawn_plans.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::tests {

namespace {

using Dims = std::vector<int64_t>;

class Reader {
 public:
  Reader() : random_(3) {
    graph_.input("in", {1, 1, 16, 72}, ElementType::f32);
    std::string x = convolution("in", 1, 24);
    x = convolution(x, 24, 40);
    x = graph_.node("MaxPool", {x}, {{"kernel_shape", Dims{4, 1}}, {"strides", Dims{4, 1}}});
    x = graph_.node("Squeeze", {x, graph_.integers({2})});
    x = graph_.node("Transpose", {x}, {{"perm", Dims{2, 0, 1}}});
    x = recurrence("LSTM", x, 4, 40);
    x = recurrence("GRU", x, 3, 2 * hidden);
    graph_.node("Identity", {x}, {}, "out");
    graph_.output("out", {});
    bytes_ = graph_.file(14);
  }

  Model model() const {
    Result<Model> model = read_onnx(std::as_bytes(std::span(bytes_)));
    REQUIRE_MESSAGE(model.ok(), model.error());
    return std::move(model).value();
  }

 private:
  static constexpr int64_t hidden = 48;

  std::string values(const Dims& dims) {
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    std::vector<float> some(static_cast<size_t>(count));
    for (float& value : some) value = random_.uniform(-0.2F, 0.2F);
    return graph_.floats(dims, some);
  }
  // Rows are halved.
  std::string convolution(const std::string& x, int64_t inputs, int64_t outputs) {
    const std::string sum = graph_.node("Conv", {x, values({outputs, inputs, 3, 3})},
                                        {{"pads", Dims{1, 1, 1, 1}}, {"strides", Dims{2, 1}}});
    return graph_.node("Relu", {sum});
  }
  std::string recurrence(const std::string& op, const std::string& x, int64_t gates,
                         int64_t inputs) {
    const std::string y =
        graph_.node(op,
                    {x, values({2, gates * hidden, inputs}), values({2, gates * hidden, hidden}),
                     values({2, 2 * gates * hidden})},
                    {{"hidden_size", hidden}, {"direction", std::string("bidirectional")}});
    const std::string turned = graph_.node("Transpose", {y}, {{"perm", Dims{0, 2, 1, 3}}});
    return graph_.node("Reshape", {turned, graph_.integers({72, 1, 2 * hidden})});
  }

  networks::OnnxGraph graph_;
  networks::Random random_;
  std::string bytes_;
};

Cluster four_nodes() {
  Cluster cluster;
  for (uint32_t id = 0; id < 4; ++id) cluster.nodes.push_back({.id = NodeId{id}});
  cluster.footprint = native_footprint(1);
  return cluster;
}

}  // namespace

TEST_CASE("Four nodes read a text as one does, by any plan, byte by byte" *
          doctest::test_suite("long")) {
  const Reader reader;
  const Model model = reader.model();
  const conformance::Maps inputs{networks::random_input(model.at(model.inputs[0]).shape, 1)};
  const Cluster cluster = four_nodes();
  networks::Random random(8);
  std::vector<Plan> plans;
  for (int i = 0; i < 12; ++i) plans.push_back(networks::drawn_plan(random, model, cluster));
  for (const auto kind : {Goal::Kind::latency, Goal::Kind::throughput, Goal::Kind::memory}) {
    const Result<Plan> plan = make_plan(model, cluster, {.kind = kind});
    REQUIRE_MESSAGE(plan.ok(), plan.error());
    plans.push_back(*plan);
  }
  NativeExecutor native({.threads = 2});
  ReferenceExecutor reference;
  for (Executor* executor : std::initializer_list<Executor*>{&native, &reference}) {
    for (size_t i = 0; i < plans.size(); ++i) {
      CAPTURE(executor->name());
      CAPTURE(i);
      const auto whole_map = conformance::run_whole(*executor, model, plans[i], inputs);
      const auto tiles = conformance::run_tiles(*executor, model, plans[i], inputs);
      REQUIRE_MESSAGE(whole_map.ok(), whole_map.error());
      REQUIRE_MESSAGE(tiles.ok(), tiles.error());
      CHECK(conformance::differing_bytes(*whole_map, *tiles) == 0);
    }
  }
}

}  // namespace shingle::tests
