// Several streams on the same workers: two cameras, two models, one session or two.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "apps/client/frame_stream.hpp"
#include "apps/run/model_facts.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/small_cluster.hpp"

using namespace shingle;
using shingle::testing::bare_machine;
using shingle::testing::SmallCluster;

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
    alone.push_back(bare_machine(*options.stream.model));
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
  BareMachine one = bare_machine(*cluster.model), two = bare_machine(*cluster.second_model);
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
  BareMachine alone = bare_machine(*cluster.model);
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
