#include "apps/trace/replay_trace.hpp"

#include <doctest/doctest.h>

#include "tests/apps/trace/virtual_traces.hpp"

namespace shingle {
namespace {

FrameFigures replayed(const RecordedTrace& trace, const Cluster& cluster) {
  const VirtualSite& site = virtual_site();
  const TracedFrames traced = frames_of(trace).value();
  const TileTimes times(trace, traced, site.model, site.cluster);
  const auto frames = sim::replay(site.model, cluster,
                                  {.plans = traced.plans,
                                   .sources = traced.sources,
                                   .compute_time = [&](NodeId node, const Compute& compute) {
                                     return times.on(cluster, node, compute);
                                   }});
  REQUIRE_MESSAGE(frames.ok(), frames.error());
  return figures_of(*frames);
}

}  // namespace

TEST_CASE("a run that is replayed on its own cluster takes its time again") {
  const RecordedTrace trace = virtual_trace({.slow_node = NodeId{1}, .slowness = 1.5});
  const FrameFigures was = figures_of(frames_of(trace).value().frames);
  const FrameFigures again = replayed(trace, virtual_site().cluster);
  CHECK(again.delivered == VirtualRun{}.frames);
  CHECK(again.latency_p50_ms == doctest::Approx(was.latency_p50_ms).epsilon(0.02));
  CHECK(again.frames_per_second == doctest::Approx(was.frames_per_second).epsilon(0.02));
}

TEST_CASE("on boards of twice the speed, a run that mostly computes takes little more than half") {
  const RecordedTrace trace = virtual_trace({});
  Cluster faster = virtual_site().cluster;
  for (ClusterNode& node : faster.nodes) node.gflops *= 2.0, node.link_mbps *= 2.0;
  const double ratio = replayed(trace, faster).latency_p50_ms /
                       replayed(trace, virtual_site().cluster).latency_p50_ms;
  CHECK(ratio > 0.49);
  CHECK(ratio < 0.6);
}

TEST_CASE("a source that waits for its frames is told from a camera with a rhythm") {
  const TracedFrames waiting = frames_of(virtual_trace({})).value();
  REQUIRE(waiting.sources.size() == 1);
  CHECK(waiting.sources[0].open_frames == 2);
  CHECK(waiting.sources[0].refill.has_value());

  RecordedTrace trace = virtual_trace({});
  Time at = Time{} + std::chrono::hours(1);
  for (RecordedEvent& event : trace.events)
    if (event.kind == RecordedEvent::Kind::captured) event.at = at += std::chrono::seconds(10);
  for (RecordedEvent& event : trace.events)
    if (event.kind == RecordedEvent::Kind::ended)
      event.at = Time{} + std::chrono::hours(1) +
                 std::chrono::seconds(10) * static_cast<int64_t>(event.frame.frame) +
                 std::chrono::seconds(1);
  const TracedFrames camera = frames_of(trace).value();
  CHECK(camera.sources[0].open_frames == 1);
  CHECK(!camera.sources[0].refill.has_value());
  CHECK(camera.sources[0].captures[2].after == std::chrono::seconds(20));
}

TEST_CASE("a trace without frames or without their plan cannot be replayed") {
  RecordedTrace trace = virtual_trace({});
  trace.plans[0].text.clear();
  CHECK(frames_of(trace).error() ==
        "'test.json' lacks the text of plan " + short_name(trace.plans[0].hash));
  trace.events.clear();
  CHECK(frames_of(trace).error() ==
        "'test.json' has no captured frame; it lacks the trace of the frames' owner");
}

}  // namespace shingle
