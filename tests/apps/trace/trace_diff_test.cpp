// Each pair: a virtual run with one thing hidden in it, and the same run without.
#include "apps/trace/trace_diff.hpp"

#include <doctest/doctest.h>

#include "tests/apps/trace/virtual_traces.hpp"

namespace shingle {
namespace {

std::vector<Cause> causes_of(const RecordedTrace& real) {
  static const TraceMeasures expected = measure(virtual_trace({})).value();
  return causes_between(measure(real).value(), expected);
}

// "link_rate at 1:3", or "nothing"; the most certain one.
std::string named(const std::vector<Cause>& causes) {
  if (causes.empty()) return "nothing";
  return std::string(name_of(causes.front().kind)) + " at " + place_of(causes.front());
}

std::string named_with(const WireChange& wire) {
  RecordedTrace trace = virtual_trace({.jitter = 0.03});
  change_wire(trace, wire);
  return named(causes_of(trace));
}

constexpr Duration ms = std::chrono::milliseconds(1);

}  // namespace

TEST_CASE("runs that differ in jitter only differ in nothing beyond noise") {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed ", seed);
    CHECK(named(causes_of(virtual_trace({.jitter = 0.05, .seed = seed}))) == "nothing");
  }
}

TEST_CASE("a node that is slower than expected is named with its slowness") {
  for (uint32_t node = 0; node < 4; ++node) {
    const auto causes =
        causes_of(virtual_trace({.jitter = 0.03, .slow_node = NodeId{node}, .slowness = 1.4}));
    REQUIRE(named(causes) == "node_speed at " + std::to_string(node));
    CHECK(causes.front().size == doctest::Approx(1.4).epsilon(0.05));
    CHECK(causes.front().confidence() > 0.9);
  }
}

TEST_CASE("a node whose few tiles take microseconds longer is not named") {
  TraceMeasures expected = measure(virtual_trace({})).value(), real = expected;
  const auto slow_down = [&](double share) {
    NodeMeasures& node = real.nodes.at(NodeId{3});
    const double frames = static_cast<double>(real.frames);
    node.compute_ms = share * real.latency_p50_ms * frames;
    for (auto& [tile, took_ms] : node.tile_ms)
      took_ms = expected.nodes[NodeId{3}].tile_ms[tile] * 1.4;
  };
  slow_down(0.002);
  CHECK(named(causes_between(real, expected)) == "nothing");
  slow_down(0.02);
  CHECK(named(causes_between(real, expected)) == "node_speed at 3");
}

TEST_CASE("a way with a lower rate, a delay or losses is named") {
  CHECK(named_with({.from = NodeId{0}, .to = NodeId{2}, .delay = 5 * ms}) == "link_delay at 0:2");
  CHECK(named_with({.from = NodeId{3}, .to = NodeId{1}, .delay = 2 * ms}) == "link_delay at 3:1");
  CHECK(named_with({.from = NodeId{0}, .to = NodeId{1}, .mbps = 14.0}) == "link_rate at 0:1");
  CHECK(named_with({.from = NodeId{1}, .to = NodeId{0}, .mbps = 6.0}) == "link_rate at 1:0");
  CHECK(named_with({.from = NodeId{2}, .to = NodeId{0}, .loss = 0.03}) == "loss at 2:0");
}

TEST_CASE("a delay both ways is one cause") {
  RecordedTrace trace = virtual_trace({});
  change_wire(trace, {.from = NodeId{1}, .to = NodeId{2}, .delay = 5 * ms});
  change_wire(trace, {.from = NodeId{2}, .to = NodeId{1}, .delay = 5 * ms});
  const auto causes = causes_of(trace);
  REQUIRE(causes.size() == 1);
  CHECK(named(causes) == "link_delay at 1-2");
}

TEST_CASE("a small credit is named if it is ever full") {
  RecordedTrace trace = virtual_trace({});
  for (RecordedEvent& event : trace.events)
    if (event.node == NodeId{2} && event.credit_bytes >= 0) event.credit_bytes = 2048;
  CHECK(named(causes_of(trace)) == "credit at 2");
  for (RecordedEvent& event : trace.events)
    if (event.node == NodeId{2} && event.credit_bytes >= 0) event.credit_bytes = 10 << 20;
  CHECK(named(causes_of(trace)) == "nothing");
}

TEST_CASE("what everything has in common is no cause of one place") {
  RecordedTrace trace = virtual_trace({});
  for (RecordedEvent& event : trace.events)
    if (event.kind == RecordedEvent::Kind::computed) event.length = event.length * 21 / 20;
  CHECK(named(causes_of(trace)) == "nothing");
}

TEST_CASE("a trace without its owner cannot be compared") {
  RecordedTrace trace = virtual_trace({});
  std::erase_if(trace.events, [](const RecordedEvent& event) { return event.node == NodeId{0}; });
  const auto measures = measure(trace);
  REQUIRE(!measures.ok());
  CHECK(measures.error() ==
        "'test.json' has no frame that was captured and delivered; it lacks the trace of the "
        "frames' owner");
}

}  // namespace shingle
