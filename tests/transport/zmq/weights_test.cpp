// A bit flips in the packed weights of a real executor, on real sockets.
#include "devices/executor/wrapped_executor.hpp"
#include "tests/transport/real_cluster.hpp"

namespace shingle {
namespace {

using testing::bare_run;
using testing::Image;
using testing::image_of;

// Flips a bit of each of its layers' weights before it computes its third tile.
class BadCell final : public WrappedExecutor {
 public:
  BadCell() : WrappedExecutor(std::make_unique<NativeExecutor>()) {}
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    constexpr auto sign = static_cast<std::byte>(0x80);
    if (++tiles_ == 3)
      for (const auto& weights : static_cast<NativeExecutor&>(inside()).weights())
        weights.bytes[3] ^= sign;
    return inside().compute(program, inputs, outputs);
  }

 private:
  int tiles_ = 0;
};

// Node 3's memory is bad; all weights are checked within a second.
struct BadMemory {
  explicit BadMemory(bool repairable)
      : cluster(testing::shared(networks::make("tiny", 96)), executors(), 3, 1.0,
                [repairable](DriverOptions& options) {
                  options.node.limits.weights_looked_through = std::chrono::seconds(1);
                  if (repairable)
                    options.another_executor = [] { return std::make_unique<NativeExecutor>(); };
                }),
        plan(cluster.ready(cluster.cut({6, 6}))) {}

  static std::function<RealCluster::Executors()> executors() {
    return [node = 0]() mutable {
      RealCluster::Executors one;
      if (++node == 3)
        one.push_back(std::make_unique<BadCell>());
      else
        one.push_back(std::make_unique<NativeExecutor>());
      return one;
    };
  }
  // True if the frame has the bits that one machine computes.
  bool is_right(uint64_t seed) {
    const Image image = image_of(*cluster.model, seed);
    const auto outputs = cluster.owner().observed.wait_for(cluster.submit(plan, image));
    REQUIRE(outputs.has_value());
    NativeExecutor bare;
    return *outputs == bare_run(*cluster.model, image, bare);
  }
  testing::Observed& struck() { return cluster.nodes.back()->observed; }

  RealCluster cluster;
  PlanHash plan;
};

TEST_CASE("a bit that flips in a node's weights is found, and then every frame is right again") {
  for (const bool repairable : {true, false}) {
    CAPTURE(repairable);
    BadMemory bad(repairable);
    constexpr uint64_t enough = 1000;
    uint64_t frame = 0;
    while (bad.struck().count(Report::Kind::weights_damaged) == 0 && frame < enough)
      bad.is_right(frame++);
    const auto found = bad.struck().wait_for(Report::Kind::weights_damaged);
    REQUIRE(found.has_value());
    CHECK(found->sentence.find("are no longer what they were") != std::string::npos);
    for (int after = 0; after < 5; ++after) CHECK(bad.is_right(frame++));
    CHECK(bad.cluster.owner().observed.count(Report::Kind::frame_aborted) == 0);
    if (repairable) CHECK(bad.struck().wait_for(Report::Kind::weights_packed).has_value());
  }
}

}  // namespace
}  // namespace shingle
