// One Node on the bench: the test plays its peers and its interpreter.
#pragma once

#include <doctest/doctest.h>

#include "partition/search/planner.hpp"
#include "runtime/node/node.hpp"
#include "runtime/protocol/load_plan.hpp"

namespace shingle {

// Two 3x3 convolutions on a square map.
inline Model bench_model(int32_t side = 16) {
  Model model;
  const TensorId image = add_input(model, "image", {side, side, 1});
  const Window same{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const auto convolution = [&](TensorId input, int32_t inputs, int32_t outputs) {
    const auto count = static_cast<size_t>(9 * inputs * outputs);
    const ConstantId weights = add_constant(model, std::vector<float>(count, 1.0F));
    return add_layer(model, "conv",
                     Convolution{.y = same, .x = same, .groups = 1, .weights = weights, .bias = {}},
                     {input});
  };
  add_output(model, "output", convolution(convolution(image, 1, 2), 2, 2));
  model.hash = structural_hash(model);
  return model;
}

// Homes take the map's rows in turn; cut between the convolutions.
inline Plan bench_plan(const Model& model, std::vector<uint32_t> homes, int32_t rows = 2) {
  Cluster cluster;
  for (const uint32_t id : homes) cluster.nodes.push_back({NodeId{id}, 1.0, 100.0, 0});
  return grid_plan(model, cluster, {.cut_after = {LayerId{0}}, .grid = {rows, 1}, .granule = {}});
}

class NodeBench {
 public:
  explicit NodeBench(NodeConfig config) : id_(config.id), node_(std::move(config)) {}

  // Returns the node's actions for the event, and checks its invariants.
  const Actions& give(const Event& event) {
    actions_.clear();
    node_.step(now_, event, actions_);
    for (const std::string& broken : node_.broken_invariants()) FAIL_CHECK(broken);
    return actions_;
  }
  const Actions& hear(uint32_t from, Message message, int64_t payload_bytes = 0) {
    Envelope envelope = envelope_;
    envelope.from = NodeId{from};
    envelope.life = 1;
    return give(MessageReceived{envelope, std::move(message), payload_bytes});
  }
  // Lets a peer join.
  void join(uint32_t peer, uint32_t compute_slots = 1, const std::string& arithmetic_class = "",
            uint32_t session = 1) {
    Hello hello{.life = 1,
                .session = session,
                .answers = session,
                .credit_bytes = 1 << 20,
                .name = "",
                .arithmetic_class = arithmetic_class,
                .compute_slots = compute_slots};
    give(PeerSeen{NodeId{peer}});
    hear(peer, hello);
  }
  void load(const LoadedPlan& plan) {
    give(PlanLoaded{plan.hash, std::make_shared<const LoadedPlan>(plan)});
  }

  void wait(Duration duration) { now_ += duration; }
  Envelope& envelope() { return envelope_; }  // of all that peers say
  Node& node() { return node_; }
  NodeId id() const { return id_; }

  template <class A>
  std::vector<A> all() const {
    std::vector<A> found;
    for (const Action& action : actions_)
      if (const auto* match = std::get_if<A>(&action)) found.push_back(*match);
    return found;
  }
  // The messages of one kind in the last answer.
  template <class M>
  std::vector<M> said(uint32_t to) const {
    std::vector<M> found;
    for (const Send& send : all<Send>())
      if (const auto* match = std::get_if<M>(&send.message);
          match != nullptr && send.to.value == to)
        found.push_back(*match);
    return found;
  }
  std::vector<Report> reports(Report::Kind kind) const {
    std::vector<Report> found;
    for (const Report& report : all<Report>())
      if (report.kind == kind) found.push_back(report);
    return found;
  }
  uint64_t refused() const { return node_.counters().messages_refused; }

 private:
  NodeId id_;
  Node node_;
  Time now_{};
  Envelope envelope_;
  Actions actions_;
};

inline NodeConfig bench_config(uint32_t id, uint32_t members) {
  NodeConfig config;
  config.id = NodeId{id};
  for (uint32_t i = 0; i < members; ++i) config.members.push_back(NodeId{i});
  return config;
}

}  // namespace shingle
