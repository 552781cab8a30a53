// Whole nodes on real sockets in one process: Driver, Node, ZmqTransport and executor, as deployed.
//
//   node 1 (owner) ---- node 2
//          \             /
//           `-- node 3 -'
#pragma once

#include <doctest/doctest.h>

#include "devices/native/native_executor.hpp"
#include "partition/search/planner.hpp"
#include "runtime/driver/driver.hpp"
#include "tests/runtime/node/observed.hpp"
#include "tests/transport/members.hpp"

namespace shingle {

struct RunningNode {
  RunningNode(NodeId id, size_t count, testing::Member& member, std::shared_ptr<const Model> model,
              std::vector<std::unique_ptr<Executor>> executors, double slowness,
              Duration silence_allowed, const std::function<void(DriverOptions&)>& adjust)
      : pacer({.slowness = slowness}, pause.clock()) {
    DriverOptions options;
    options.node.id = id;
    for (uint32_t other = 1; other <= count; ++other) options.node.members.push_back({other});
    options.node.limits.silence_allowed = silence_allowed;
    options.find_model = testing::finder_of(std::move(model));
    if (adjust) adjust(options);
    observed.listen(options);
    driver =
        std::make_unique<Driver>(std::move(options), testing::paced(std::move(executors), pacer),
                                 member.inbox, *member.transport, clock);
    driver->start();
  }
  void stop() {
    pause.end();
    driver->stop();
  }
  BreakablePause pause;
  Pacer pacer;
  SteadyClock clock;
  testing::Observed observed;
  std::unique_ptr<Driver> driver;
};

struct RealCluster {
  using Executors = std::vector<std::unique_ptr<Executor>>;
  static Executors one_reference() { return testing::reference_executors(1); }
  static Executors one_xnnpack() {
    Executors executors;
    executors.push_back(std::make_unique<NativeExecutor>());
    return executors;
  }

  using Adjust = std::function<void(DriverOptions&)>;  // what the cluster itself does not set
  explicit RealCluster(std::shared_ptr<const Model> of,
                       const std::function<Executors()>& executors = one_reference,
                       size_t count = 3, double slow_last = 1.0, const Adjust& adjust = {})
      : RealCluster(std::move(of), testing::connected(static_cast<uint32_t>(count)),
                    testing::long_enough, executors, slow_last, adjust) {}
  RealCluster(std::shared_ptr<const Model> of, std::vector<std::unique_ptr<testing::Member>> on,
              Duration silence_allowed, const std::function<Executors()>& executors = one_reference,
              double slow_last = 1.0, const Adjust& adjust = {})
      : model(std::move(of)), members(std::move(on)) {
    const size_t count = members.size();
    for (size_t i = 0; i < count; ++i)
      nodes.push_back(std::make_unique<RunningNode>(
          NodeId{static_cast<uint32_t>(i + 1)}, count, *members[i], model, executors(),
          i + 1 == count ? slow_last : 1.0, silence_allowed, adjust));
    REQUIRE(owner().observed.wait_for(Report::Kind::peer_joined, count - 1).has_value());
  }
  ~RealCluster() {
    for (size_t i = 0; i < nodes.size(); ++i) kill(i);
  }

  RunningNode& owner() { return *nodes.front(); }
  Cluster machines() const {
    Cluster cluster;
    for (size_t i = 0; i < nodes.size(); ++i)
      cluster.nodes.push_back({.id = {static_cast<uint32_t>(i + 1)}});
    return cluster;
  }
  Plan cut(GridCut grid, std::vector<LayerId> cut_after = {}) const {
    return grid_plan(*model, machines(),
                     {.cut_after = std::move(cut_after), .grid = grid, .granule = {}});
  }
  PlanHash ready(const Plan& plan) {
    owner().driver->propose(hash_of(plan), plan);
    REQUIRE(owner().observed.wait_for(Report::Kind::plan_ready).has_value());
    return hash_of(plan);
  }
  FrameKey submit(const PlanHash& plan, const testing::Image& image) {
    const auto key = owner().driver->submit(plan, image, std::chrono::seconds(60));
    REQUIRE(key.has_value());
    return *key;
  }
  void kill(size_t index) {
    nodes[index]->stop();
    members[index]->transport.reset();
  }

  std::shared_ptr<const Model> model;
  std::vector<std::unique_ptr<testing::Member>> members;
  std::vector<std::unique_ptr<RunningNode>> nodes;
};

}  // namespace shingle
