// Frames through a cluster of real sessions on loopback, all in this process.
#include "apps/client/frame_stream.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "apps/run/model_facts.hpp"
#include "devices/native/reference.hpp"
#include "runtime/driver/canvas.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/small_cluster.hpp"

using namespace shingle;
using shingle::testing::bare_machine;
using shingle::testing::SmallCluster;

namespace {

// Makes one bit of every third tile wrong.
class BadMemory : public Executor {
 public:
  std::string name() const override { return sound_.name(); }
  std::string arithmetic_class() const override { return sound_.arithmetic_class(); }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override {
    return sound_.prepare(model, programs);
  }
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    Status status = sound_.compute(program, inputs, outputs);
    if (++tiles_ % 3 != 0) return status;
    const Slice& output = program.outputs.front();
    const Region element{{output.region.y.begin, output.region.y.begin + 1},
                         {output.region.x.begin, output.region.x.begin + 1},
                         {output.region.c.begin, output.region.c.begin + 1}};
    float value = 0.0F;
    copy_region(as_const(outputs.front()),
                {reinterpret_cast<std::byte*>(&value), element, ElementType::f32}, element);
    value = std::nextafter(value, 1e9F);
    copy_region({reinterpret_cast<const std::byte*>(&value), element, ElementType::f32},
                outputs.front(), element);
    return status;
  }
  Granule granule(const Model& model, LayerId layer) const override {
    return sound_.granule(model, layer);
  }
  Memory memory() const override { return sound_.memory(); }

 private:
  ReferenceExecutor sound_;
  uint64_t tiles_ = 0;
};

}  // namespace

TEST_CASE("frames come back in order, with the bits of one machine and every byte accounted for") {
  SmallCluster cluster(2);
  cluster.start_worker(0, 4.0);  // slow: its tiles are stolen
  cluster.start_worker(1);
  auto opened = FrameStream::open(cluster.stream_options(2));
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  FrameStream& stream = **opened;
  BareMachine alone = bare_machine(*cluster.model);
  constexpr uint64_t frames = 12;
  for (uint64_t submitted = 0, seen = 0; seen < frames; ++seen) {
    while (submitted < frames && stream.has_room())
      REQUIRE(stream.submit(cluster.image(submitted++)).ok());
    const auto frame = stream.next();
    REQUIRE_MESSAGE(frame.ok(), frame.error());
    CHECK(frame->outputs == alone.compute(*cluster.image(seen)).value());
    CHECK(frame->took.count() > 0);
  }
  for (auto& worker : cluster.workers) worker->stop();
  stream.session().stop();
  uint64_t tiles = 0, sent = stream.session().driver().counters().payload_bytes_sent;
  for (auto& worker : cluster.workers) {
    tiles += worker->driver().counters().tiles_computed;
    sent += worker->driver().counters().payload_bytes_sent;
  }
  uint64_t told = 0;
  for (const uint64_t count : stream.tally().tiles()) told += count;
  CHECK(told == frames * static_cast<uint64_t>(tile_count(stream.plan().plan)));
  CHECK(tiles >= told);  // a lent tile may be computed twice, it counts once
  const int64_t planned = wire_bytes(stream.plan().routes) * static_cast<int64_t>(frames);
  const int64_t counted = planned + stream.tally().lent_bytes();
  INFO("thefts: ", stream.tally().all_thefts());
  CHECK(static_cast<int64_t>(sent) >= counted);
  if (tiles == told) CHECK(static_cast<int64_t>(sent) == counted);
}

TEST_CASE(
    "a worker with bad memory is found by audits, and no frame that it touched comes out wrong") {
  SmallCluster cluster(3);
  cluster.start_worker(0);
  cluster.start_worker(1, std::make_unique<BadMemory>());
  cluster.start_worker(2);
  FrameStreamOptions options = cluster.stream_options(3);
  options.member.audit_share = 1.0;
  auto opened = FrameStream::open(std::move(options));
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  FrameStream& stream = **opened;
  BareMachine alone = bare_machine(*cluster.model);
  for (uint64_t frame = 0; frame < 6; ++frame) {
    REQUIRE(stream.submit(cluster.image(frame)).ok());
    const auto delivered = stream.next();
    REQUIRE_MESSAGE(delivered.ok(), delivered.error());
    CHECK(delivered->outputs == alone.compute(*cluster.image(frame)).value());
  }
  stream.session().stop();
  CHECK(stream.distrusted() == std::vector{NodeId{1}});
  CHECK(stream.session().driver().counters().tiles_audited > 20);
  CHECK(stream.session().driver().counters().tiles_disputed > 0);
}

TEST_CASE(
    "a worker that is slower than its profile says gets less to do, and every frame is exact" *
    doctest::test_suite("long")) {
  SmallCluster cluster(3);
  cluster.start_worker(0, 30.0);
  cluster.start_worker(1);
  cluster.start_worker(2);
  FrameStreamOptions options = cluster.stream_options(3);
  Cluster workers = equal_nodes(3);
  for (ClusterNode& node : workers.nodes) node.gflops = 0.5;
  const Goal goal{.kind = Goal::Kind::throughput, .owner = options.member.id, .open_frames = 4};
  options.stream.basis = {workers, goal, find_rotation(*cluster.model, workers, goal).value()};
  options.stream.rotation = options.stream.basis->found.rotation;
  auto opened = FrameStream::open(std::move(options));
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  FrameStream& stream = **opened;
  BareMachine alone = bare_machine(*cluster.model);
  // When frames flow until the plan was changed, and some more
  constexpr uint64_t most = 3000, more = 8;
  uint64_t submitted = 0, seen = 0, last = most;
  for (; seen < last; ++seen) {
    while (submitted < last && stream.has_room())
      REQUIRE(stream.submit(cluster.image(submitted++)).ok());
    const auto frame = stream.next();
    REQUIRE_MESSAGE(frame.ok(), frame.error());
    CHECK(frame->outputs == alone.compute(*cluster.image(seen)).value());
    if (stream.switches() > 0 && last == most) last = submitted + more;
  }
  CHECK(stream.switches() >= 1);
}

TEST_CASE("frames that workers take whole in turn come in order, each by its share, bit for bit") {
  SmallCluster cluster(3);
  for (const uint32_t id : {0U, 1U, 2U}) cluster.start_worker(id);
  FrameStreamOptions options = cluster.stream_options(3);
  options.stream.rotation = cluster.whole_frames({2, 1, 1});
  options.member.steals = false;
  auto opened = FrameStream::open(std::move(options));
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  cluster.run(**opened, 16, [](uint64_t) {});
  (*opened)->session().stop();
  const Tally& tally = (*opened)->tally();
  CHECK(tally.members() == std::vector<NodeId>{{0}, {1}, {2}});
  uint64_t tiles = 0;
  for (const uint64_t count : tally.tiles()) tiles += count;
  CHECK(tiles == 16);
  const int64_t wire = wire_bytes((*opened)->plan().routes);
  CHECK((*opened)->planned_wire_bytes() == 16 * wire);
}

TEST_CASE("a worker that stops in a rotation costs no frame, and gets none until it is back") {
  SmallCluster cluster(3);
  for (const uint32_t id : {0U, 1U, 2U}) cluster.start_worker(id);
  FrameStreamOptions options = cluster.stream_options(3);
  options.stream.rotation = cluster.whole_frames({1, 1, 1});
  options.stream.open_frames = 3;
  auto opened = FrameStream::open(std::move(options));
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  cluster.run(**opened, 12, [&](uint64_t frame) {
    if (frame == 4) cluster.workers.pop_back();
  });
  uint64_t counters = (*opened)->session().driver().counters().frames_reissued;
  // When nothing more is under way on it, nothing is begun again
  cluster.run(**opened, 12, [](uint64_t) {});
  (*opened)->session().stop();
  CHECK((*opened)->session().driver().counters().frames_aborted == 0);
  CHECK((*opened)->session().driver().counters().frames_reissued == counters);
}

TEST_CASE("lives of one node that begin within a second have no key in common") {
  SmallCluster cluster(1);
  std::set<uint64_t> lives;
  for (int i = 0; i < 3; ++i) {
    cluster.start_worker(0);
    const auto key =
        cluster.workers.back()->driver().submit({}, cluster.image(0), std::chrono::seconds(1));
    REQUIRE(key.has_value());
    CHECK(key->frame == 1);
    lives.insert(key->life);
    cluster.workers.pop_back();
  }
  CHECK(lives.size() == 3);
}

TEST_CASE("a home that never comes is named with its address") {
  SmallCluster cluster(2);
  cluster.start_worker(0);
  FrameStreamOptions options = cluster.stream_options(2);
  options.stream.start_patience = std::chrono::milliseconds(300);
  options.stream.label = "model 'plates' (plates.onnx)";
  const auto opened = FrameStream::open(std::move(options));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().starts_with("model 'plates' (plates.onnx): no connection within"));
  CHECK(opened.error().find("node1 (127.0.0.1:" + std::to_string(cluster.ports.ports()[1]) + ")") !=
        std::string::npos);
}

TEST_CASE("a worker that stops costs no frame") {
  SmallCluster cluster(2);
  const auto opened = cluster.stream_over_two_workers();
  FrameStream& stream = *opened;
  BareMachine alone = bare_machine(*cluster.model);
  for (uint64_t i = 0; i < 20; ++i) {
    REQUIRE(stream.submit(cluster.image(i)).ok());
    if (i == 3) cluster.workers.pop_back();
    const auto frame = stream.next();
    REQUIRE_MESSAGE(frame.ok(), frame.error());
    CHECK(frame->outputs == alone.compute(*cluster.image(i)).value());
  }
}

TEST_CASE("a stream whose workers have all stopped ends with a sentence") {
  SmallCluster cluster(2);
  const auto opened = cluster.stream_over_two_workers();
  cluster.workers.clear();
  FrameStream& stream = *opened;
  std::string sentence;
  for (uint64_t i = 0; i < 100 && sentence.empty(); ++i) {
    if (const Status taken = stream.submit(cluster.image(i)); !taken) sentence = taken.error();
    if (const auto frame = stream.next(); !frame) sentence = frame.error();
  }
  CHECK(sentence.find("was lost") != std::string::npos);
}

TEST_CASE("what the program knows of its workers ends a stream that waits") {
  SmallCluster cluster(1);
  FrameStreamOptions options = cluster.stream_options(1);
  options.stream.trouble = [] {
    return std::optional<std::string>("worker 0 ended with signal 9");
  };
  const auto opened = FrameStream::open(std::move(options));
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error() == "worker 0 ended with signal 9");
}
