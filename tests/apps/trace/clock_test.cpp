#include <doctest/doctest.h>

#include "apps/trace/clock_alignment.hpp"
#include "apps/trace/clock_line.hpp"
#include "tests/apps/trace/virtual_traces.hpp"

namespace shingle {
namespace {

struct TrueClock {
  double offset_ns = 0.0, drift = 0.0;
};

// Messages both ways in ten seconds, with a least delay and a queue that is empty at times.
std::optional<ClockLine> fitted(TrueClock clock, double there_ns, double back_ns, uint64_t seed) {
  networks::Random random(seed);
  std::vector<ClockSample> there, back;
  for (int i = 0; i < 400; ++i) {
    const double at = 1e10 * static_cast<double>(random.uniform(0.0F, 1.0F));
    const double ahead = clock.offset_ns + clock.drift * at;
    const double queued = 3e6 * static_cast<double>(random.uniform(0.0F, 1.0F));
    if (random.chance(0.5))
      there.push_back({at, there_ns + queued + ahead});
    else
      back.push_back({at, back_ns + queued - ahead});
  }
  return fit_clocks(std::move(there), std::move(back));
}

double error_at(const ClockLine& line, TrueClock clock, double at) {
  return std::abs(line.offset_ns - clock.offset_ns + (line.drift - clock.drift) * at);
}

// Each node's part of a trace, on a clock of its own.
std::vector<RecordedTrace> split(const RecordedTrace& whole, const std::vector<TrueClock>& clocks) {
  std::vector<RecordedTrace> parts(clocks.size(), whole);
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].node = NodeId{static_cast<uint32_t>(i)};
    parts[i].source = RecordedTrace::Source::node;
    std::erase_if(parts[i].events, [&](const auto& event) { return event.node != parts[i].node; });
    for (RecordedEvent& event : parts[i].events) {
      const double at = in_nanoseconds(event.at.time_since_epoch());
      event.at += Duration(static_cast<int64_t>(clocks[i].offset_ns + clocks[i].drift * at));
    }
  }
  return parts;
}

}  // namespace

TEST_CASE("a clock's offset and drift are found within the bound that is told") {
  const TrueClock clock{.offset_ns = 5e9, .drift = 40e-6};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed ", seed);
    const auto line = fitted(clock, 2e5, 2e5, seed);
    REQUIRE(line.has_value());
    for (const double at : {0.0, 5e9, 1e10}) CHECK(error_at(*line, clock, at) <= line->error_ns);
    CHECK(error_at(*line, clock, 5e9) < 1e5);
    CHECK(line->drift == doctest::Approx(clock.drift).epsilon(0.5));
  }
}

TEST_CASE("delays that differ both ways shift the line by no more than the bound") {
  const TrueClock clock{.offset_ns = -3e6, .drift = 0.0};
  const auto line = fitted(clock, 2e5, 8e6, 1);
  REQUIRE(line.has_value());
  CHECK(error_at(*line, clock, 5e9) == doctest::Approx(3.9e6).epsilon(0.1));
  CHECK(error_at(*line, clock, 5e9) <= line->error_ns);
}

TEST_CASE("messages that arrive before they were sent, whatever the clocks, fit no line") {
  CHECK(!fit_clocks({{0.0, -5.0}, {1e9, -5.0}}, {{0.0, -5.0}, {1e9, -5.0}}).has_value());
  CHECK(!fit_clocks({{0.0, 5.0}}, {}).has_value());
}

TEST_CASE("traces of nodes with clocks of their own come back to one clock") {
  const RecordedTrace whole = virtual_trace({});
  const std::vector<TrueClock> clocks{{}, {7e9, 30e-6}, {-2e9, -80e-6}, {1e3, 0.0}};
  const auto parts = split(whole, clocks);
  const auto fits = align_clocks(parts);
  REQUIRE_MESSAGE(fits.ok(), fits.error());
  std::map<uint64_t, Time> sent;
  for (const RecordedEvent& event : whole.events)
    if (event.kind == RecordedEvent::Kind::sent) sent[event.flow] = event.at;
  for (size_t i = 0; i < parts.size(); ++i)
    for (const RecordedEvent& event : parts[i].events) {
      if (event.kind != RecordedEvent::Kind::sent) continue;
      const Duration error = (*fits)[i].on_reference(event.at) - sent.at(event.flow);
      REQUIRE(std::abs(in_nanoseconds(error)) <= (*fits)[i].error_ns + 1000.0);
      REQUIRE(std::abs(in_nanoseconds(error)) < 2e5);
    }
}

TEST_CASE("a way that is late one way is not taken for a clock that is ahead") {
  RecordedTrace whole = virtual_trace({});
  change_wire(whole, {.from = NodeId{0}, .to = NodeId{1}, .delay = std::chrono::milliseconds(20)});
  const auto parts = split(whole, std::vector<TrueClock>(4));
  const auto fits = align_clocks(parts);
  REQUIRE(fits.ok());
  CHECK((*fits)[1].through != NodeId{0});
  CHECK(std::abs((*fits)[1].offset_ns) < 1e6);
}

TEST_CASE("a trace that shares no message with the others is named") {
  auto parts = split(virtual_trace({}), std::vector<TrueClock>(4));
  parts[3].file = "other.json";
  for (RecordedEvent& event : parts[3].events) event.flow += 1;
  const auto fits = align_clocks(parts);
  REQUIRE(!fits.ok());
  CHECK(fits.error() ==
        "'other.json' shares no message with the other traces, so node 3's clock cannot be "
        "compared with theirs");
}

}  // namespace shingle
