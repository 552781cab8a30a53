// SmallCluster: workers of a small model on real sessions on loopback, all in this process.
#pragma once

#include <doctest/doctest.h>

#include <deque>

#include "apps/client/bare_machine.hpp"
#include "apps/client/frame_stream.hpp"
#include "apps/client/node_pace.hpp"
#include "apps/run/choose_plan.hpp"
#include "apps/system/reserved_ports.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::testing {

// One machine without a cluster. Its outputs are the expected ones.
inline BareMachine bare_machine(const Model& model) {
  return BareMachine::make(model, make_executor({.name = "reference", .threads = 1}).value())
      .value();
}

struct SmallCluster {
  explicit SmallCluster(uint32_t count, uint32_t owners = 1)
      : ports(std::move(ReservedPorts::on_loopback(count + owners).value())),
        model(for_images(1)),
        second_model(for_images(2)) {
    for (uint32_t i = 0; i < count + owners; ++i) {
      ClusterFileNode node;
      node.id = NodeId{i};
      node.name = "node" + std::to_string(i);
      node.port = ports.ports()[i];
      file.nodes.push_back(node);
    }
  }

  static std::shared_ptr<const Model> for_images(uint64_t seed) {
    Model model = networks::make("tiny", 0, seed).value();
    take_image(model, std::vector<float>(3, 1.0F / 255.0F), std::vector<float>(3, 0.0F));
    return std::make_shared<const Model>(std::move(model));
  }

  void start_worker(uint32_t id, double slowness = 1.0) {
    start_worker(id, paces.emplace_back(Pace{.slowness = slowness})
                         .paced(make_executor({.name = "reference", .threads = 1}).value()));
  }

  void start_worker(uint32_t id, std::unique_ptr<Executor> executor) {
    SessionOptions options;
    options.cluster = file;
    options.id = NodeId{id};
    options.insecure = true;
    options.executor = std::move(executor);
    options.limits.silence_allowed = std::chrono::seconds(20);
    options.another_executor = [] {
      return make_executor({.name = "reference", .threads = 1}).value();
    };
    options.find_model = [this](const ModelName& name) -> Result<std::shared_ptr<const Model>> {
      if (name.hash == model->hash) return std::shared_ptr<const Model>(model);
      return second_model;
    };
    workers.push_back(std::move(Session::start(std::move(options)).value()));
  }

  FrameStreamOptions stream_options(uint32_t homes) const {
    FrameStreamOptions options;
    options.member.cluster = file;
    options.member.id = file.nodes.back().id;
    options.member.insecure = true;
    options.member.patience = {std::chrono::seconds(20), std::chrono::seconds(20)};
    options.stream.model = model;
    options.stream.rotation = {
        {grid_plan(*model, equal_nodes(homes), {.cut_after = {}, .grid = {2, 4}})}};
    return options;
  }

  std::unique_ptr<FrameStream> stream_over_two_workers() {
    start_worker(0);
    start_worker(1);
    auto opened = FrameStream::open(stream_options(2));
    REQUIRE_MESSAGE(opened.ok(), opened.error());
    return std::move(opened).value();
  }

  // On workers 0, 1, ...
  Rotation whole_frames(const std::vector<int32_t>& shares) const {
    Rotation rotation;
    for (uint32_t i = 0; i < shares.size(); ++i)
      rotation.push_back({single_plan(*model, NodeId{i}), shares[i]});
    return rotation;
  }

  // So many frames, each compared with what one machine computes; `meanwhile` hears of each.
  void run(FrameStream& stream, uint64_t frames,
           const std::function<void(uint64_t)>& meanwhile) const {
    auto alone =
        BareMachine::make(*model, make_executor({.name = "reference", .threads = 1}).value())
            .value();
    for (uint64_t submitted = 0, seen = 0; seen < frames; ++seen) {
      while (submitted < frames && stream.has_room())
        REQUIRE(stream.submit(image(submitted++)).ok());
      const auto frame = stream.next();
      REQUIRE_MESSAGE(frame.ok(), frame.error());
      CHECK(frame->outputs == alone.compute(*image(seen)).value());
      meanwhile(seen);
    }
  }

  std::shared_ptr<const std::vector<std::byte>> image(uint64_t seed) const {
    networks::Random random(seed);
    const Shape shape = model->at(model->inputs[0]).shape;
    std::vector<std::byte> bytes(static_cast<size_t>(shape.elements()));
    for (std::byte& value : bytes) value = static_cast<std::byte>(random.between(0, 255));
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  }

  ReservedPorts ports;
  std::shared_ptr<const Model> model, second_model;
  ClusterFile file;
  std::deque<NodePace> paces;
  std::vector<std::unique_ptr<Session>> workers;
};

}  // namespace shingle::testing
