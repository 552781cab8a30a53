// Frames through a cluster of real sessions on loopback, all in this process.
#include "apps/client/frame_stream.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <set>
#include <thread>

#include "apps/run/model_facts.hpp"
#include "devices/native/reference.hpp"
#include "runtime/driver/canvas.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/small_cluster.hpp"

using namespace shingle;
using shingle::testing::SmallCluster;

namespace {

// One machine without a cluster. Its outputs are the expected ones.
BareMachine bare_machine(const Model& model) {
  return BareMachine::make(model, make_executor({.name = "reference", .threads = 1}).value())
      .value();
}

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

TEST_CASE("two cameras with two models share the same workers, each with the bits of one machine") {
  SmallCluster cluster(2, 2);
  cluster.start_worker(0);
  cluster.start_worker(1);
  std::vector<std::unique_ptr<FrameStream>> streams;
  std::vector<BareMachine> alone;
  for (const uint32_t owner : {2U, 3U}) {
    FrameStreamOptions options = cluster.stream_options(2);
    options.member.id = NodeId{owner};
    options.stream.model = owner == 2 ? cluster.model : cluster.second_model;
    options.stream.rotation = {
        {grid_plan(*options.stream.model, equal_nodes(2), {.cut_after = {}, .grid = {2, 2}})}};
    alone.push_back(
        std::move(BareMachine::make(*options.stream.model,
                                    make_executor({.name = "reference", .threads = 1}).value())
                      .value()));
    auto opened = FrameStream::open(std::move(options));
    REQUIRE_MESSAGE(opened.ok(), opened.error());
    streams.push_back(std::move(*opened));
  }
  for (uint64_t seed = 0; seed < 6; ++seed) {
    for (auto& stream : streams) REQUIRE(stream->submit(cluster.image(seed)).ok());
    for (size_t i = 0; i < streams.size(); ++i) {
      const auto frame = streams[i]->next();
      REQUIRE_MESSAGE(frame.ok(), frame.error());
      CHECK(frame->outputs == alone[i].compute(*cluster.image(seed)).value());
    }
  }
}

TEST_CASE("one session has streams of two models at their own rates, each with its exact bits") {
  SmallCluster cluster(2);
  cluster.start_worker(0);
  cluster.start_worker(1);
  FrameStreamOptions options = cluster.stream_options(2);
  options.member.open_frames = 6;
  auto session = StreamSession::start(std::move(options.member));
  REQUIRE_MESSAGE(session.ok(), session.error());
  auto first = FrameStream::open(**session, std::move(options.stream));
  REQUIRE_MESSAGE(first.ok(), first.error());
  StreamOptions further{.model = cluster.second_model, .rotation = {}, .open_frames = 2};
  further.rotation = {
      {grid_plan(*further.model, equal_nodes(2), {.cut_after = {}, .grid = {2, 2}})}};
  auto second = FrameStream::open(**session, std::move(further));
  REQUIRE_MESSAGE(second.ok(), second.error());
  const auto alone = [](const Model& model) {
    return BareMachine::make(model, make_executor({.name = "reference", .threads = 1}).value())
        .value();
  };
  BareMachine one = alone(*cluster.model), two = alone(*cluster.second_model);
  // When the second takes every third frame
  uint64_t polled = 0;
  for (uint64_t frame = 0; frame < 9; ++frame) {
    const auto image = cluster.image(frame);
    REQUIRE((*first)->submit(image).ok());
    if (frame % 3 == 0) REQUIRE((*second)->submit(image).ok());
    const auto ours = (*first)->next();
    REQUIRE_MESSAGE(ours.ok(), ours.error());
    CHECK(ours->outputs == one.compute(*image).value());
    if (frame % 3 != 2) continue;
    // Then it has its own frame, and that one only
    const auto theirs = (*second)->next();
    REQUIRE_MESSAGE(theirs.ok(), theirs.error());
    CHECK(theirs->outputs == two.compute(*cluster.image(frame - 2)).value());
    CHECK((*second)->pending() == 0);
    ++polled;
  }
  CHECK(polled == 3);
  (*session)->session().stop();
  CHECK((*session)->session().driver().counters().frames_delivered == 12);
}

TEST_CASE("two streams of one plan share it, and what one leaves behind does not end the other") {
  SmallCluster cluster(1);
  cluster.start_worker(0);
  FrameStreamOptions options = cluster.stream_options(1);
  options.member.open_frames = 8;
  auto session = StreamSession::start(std::move(options.member));
  REQUIRE_MESSAGE(session.ok(), session.error());
  auto kept = FrameStream::open(**session, options.stream);
  REQUIRE_MESSAGE(kept.ok(), kept.error());
  {
    // Given a second stream that ends while its frame is under way
    auto left = FrameStream::open(**session, options.stream);
    REQUIRE_MESSAGE(left.ok(), left.error());
    REQUIRE((*left)->submit(cluster.image(100)).ok());
  }
  cluster.run(**kept, 6, [](uint64_t) {});
}

TEST_CASE("streams may not have more frames under way than their session was started for") {
  SmallCluster cluster(1);
  cluster.start_worker(0);
  FrameStreamOptions options = cluster.stream_options(1);
  options.member.open_frames = 5;
  auto session = StreamSession::start(std::move(options.member));
  REQUIRE_MESSAGE(session.ok(), session.error());
  auto first = FrameStream::open(**session, options.stream);
  REQUIRE_MESSAGE(first.ok(), first.error());
  StreamOptions further = options.stream;
  further.open_frames = 2;
  further.label = "model 'plates' (plates.onnx)";
  const auto refused = FrameStream::open(**session, further);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error() ==
        "model 'plates' (plates.onnx): the session's streams are to have 6 frames under way, and "
        "it was started for 5");
  // Then there is room again once a stream has ended
  first->reset();
  CHECK(FrameStream::open(**session, further).ok());
}

TEST_CASE("a stream that was idle when its worker stopped deals no frame to it any more") {
  SmallCluster cluster(2);
  cluster.start_worker(0);
  cluster.start_worker(1);
  // Given an owner's node that has seen the loss
  std::atomic<int> events_since_loss{-1};
  FrameStreamOptions options = cluster.stream_options(2);
  const Plan both = options.stream.rotation.front().plan;
  options.stream.rotation = {{single_plan(*cluster.model, NodeId{0}), 1}, {both, 1}};
  const int64_t of_both = wire_bytes(trusted_plan(*cluster.model, both).routes);
  options.member.on_trace = [&](const TraceEvent& event) {
    const bool loss =
        event.kind == TraceEvent::Kind::reported && event.report == Report::Kind::plan_impaired;
    if (loss || events_since_loss >= 0) ++events_since_loss;
  };
  auto opened = FrameStream::open(std::move(options));
  REQUIRE_MESSAGE(opened.ok(), opened.error());
  cluster.workers.pop_back();
  // The stream has the report when the node does something else.
  REQUIRE(becomes_true([&] { return events_since_loss > 0; }));
  const int64_t of_one = wire_bytes((*opened)->plan().routes);
  REQUIRE(of_one != of_both);
  // When frames go on, then all of them take the plan of the worker that is left
  cluster.run(**opened, 4, [](uint64_t) {});
  CHECK((*opened)->planned_wire_bytes() == 4 * of_one);
}

TEST_CASE("a stream does not hang while the cluster computes another stream's tiles") {
  SmallCluster cluster(1);
  // Given a worker that takes half a second for a frame of the first stream
  const double macs = static_cast<double>(facts_of(*cluster.model).macs);
  cluster.start_worker(0, cluster.paces.emplace_back(Pace{.gflops = 4.0 * macs / 1e9})
                              .paced(make_executor({.name = "reference", .threads = 1}).value()));
  FrameStreamOptions options = cluster.stream_options(1);
  options.member.open_frames = 6;
  auto session = StreamSession::start(std::move(options.member));
  REQUIRE_MESSAGE(session.ok(), session.error());
  auto first = FrameStream::open(**session, options.stream);
  REQUIRE_MESSAGE(first.ok(), first.error());
  StreamOptions further = options.stream;
  further.open_frames = 2;
  further.frame_patience = std::chrono::seconds(1);
  auto second = FrameStream::open(**session, further);
  REQUIRE_MESSAGE(second.ok(), second.error());
  // When a frame of the second has to wait for four of the first
  for (uint64_t frame = 0; frame < 4; ++frame) REQUIRE((*first)->submit(cluster.image(frame)).ok());
  REQUIRE((*second)->submit(cluster.image(4)).ok());
  const auto frame = (*second)->next();
  REQUIRE_MESSAGE(frame.ok(), frame.error());
  CHECK(frame->took > further.frame_patience);
}

TEST_CASE("a frame that is asked for without waiting comes once it is there") {
  SmallCluster cluster(2);
  const auto stream = cluster.stream_over_two_workers();
  auto alone =
      BareMachine::make(*cluster.model, make_executor({.name = "reference", .threads = 1}).value())
          .value();
  REQUIRE(stream->submit(cluster.image(1)).ok());
  std::optional<DeliveredFrame> frame;
  while (!frame) {
    auto polled = stream->poll();
    REQUIRE_MESSAGE(polled.ok(), polled.error());
    frame = std::move(*polled);
    std::this_thread::yield();
  }
  CHECK(frame->outputs == alone.compute(*cluster.image(1)).value());
  CHECK(stream->pending() == 0);
}

TEST_CASE("one camera's stream plans anew while another's model is computed too; both stay exact" *
          doctest::test_suite("long")) {
  SmallCluster cluster(3, 2);
  cluster.start_worker(0, 30.0);
  cluster.start_worker(1);
  cluster.start_worker(2);
  // Given a stream that was told nothing of worker 0's slowness, and one that keeps its plan
  FrameStreamOptions watchful = cluster.stream_options(3);
  watchful.member.id = NodeId{3};
  Cluster workers = equal_nodes(3);
  for (ClusterNode& node : workers.nodes) node.gflops = 0.5;
  const Goal goal{.kind = Goal::Kind::throughput, .owner = watchful.member.id, .open_frames = 4};
  watchful.stream.basis = {workers, goal, find_rotation(*cluster.model, workers, goal).value()};
  watchful.stream.rotation = watchful.stream.basis->found.rotation;
  FrameStreamOptions other = cluster.stream_options(3);
  other.member.id = NodeId{4};
  other.stream.model = cluster.second_model;
  other.stream.rotation = {
      {grid_plan(*other.stream.model, equal_nodes(3), {.cut_after = {}, .grid = {2, 2}})}};
  auto first = FrameStream::open(std::move(watchful)), second = FrameStream::open(std::move(other));
  REQUIRE_MESSAGE(first.ok(), first.error());
  REQUIRE_MESSAGE(second.ok(), second.error());
  BareMachine one = bare_machine(*cluster.model), two = bare_machine(*cluster.second_model);
  // When frames of both flow until the first has planned anew, and a few more
  constexpr uint64_t most = 1000, more = 4;
  for (uint64_t frame = 0, last = most; frame < last; ++frame) {
    const auto image = cluster.image(frame);
    for (FrameStream* stream : {first->get(), second->get()}) REQUIRE(stream->submit(image).ok());
    const auto ours = (*first)->next(), theirs = (*second)->next();
    REQUIRE_MESSAGE(ours.ok(), ours.error());
    REQUIRE_MESSAGE(theirs.ok(), theirs.error());
    CHECK(ours->outputs == one.compute(*image).value());
    CHECK(theirs->outputs == two.compute(*image).value());
    if ((*first)->switches() > 0 && last == most) last = frame + 1 + more;
  }
  CHECK((*first)->switches() >= 1);
  CHECK((*second)->switches() == 0);
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
