// Runs whose times can be worked out by hand, and what must hold of every run.
#include <algorithm>

#include "experiments.hpp"

namespace shingle::sim {
namespace {

using namespace std::chrono_literals;

TEST_CASE("frames one after the other on one node take what a tile takes") {
  const RunResult run = run_of(experiment_of(R"(
duration = "1 s"
warm_up = "200 ms"
)" + paced_nodes(1) + dots_model + R"(
[[source]]
owner = 1
arrivals = "back_to_back"
open_frames = 1
)"));
  CHECK(run.measured == 800ms);
  CHECK(run.delivered == std::vector<size_t>{80});
  REQUIRE(run.frames.size() == 80);
  for (const FrameOutcome& frame : run.frames) {
    CHECK(frame.fate == Fate::delivered);
    CHECK(frame.latency == whole_model);
    CHECK(part(frame, Cause::compute) == whole_model);
  }
  CHECK(run.frames.front().captured == Time{20 * whole_model});
  REQUIRE(run.nodes.size() == 1);
  CHECK(run.nodes[0].busy == 800ms);
  CHECK(run.nodes[0].tiles == 80);
  CHECK(run.links.empty());
}

Experiment back_to_back(const std::string& duration, const std::string& source) {
  return experiment_of("duration = \"" + duration + "\"\nwarm_up = \"0 s\"\n" + paced_nodes(1) +
                       dots_model + "[[source]]\nowner = 1\narrivals = \"back_to_back\"\n" +
                       source);
}

TEST_CASE("what a program takes between two frames passes where they come back to back") {
  Experiment experiment = back_to_back("1 s", "open_frames = 1\n");
  experiment.surroundings.frame_gap = 2ms;
  const RunResult run = run_of(experiment);
  REQUIRE(run.frames.size() > 40);
  for (size_t i = 0; i < run.frames.size(); ++i) {
    CHECK(run.frames[i].latency == whole_model);
    if (i > 0) CHECK(run.frames[i].captured - run.frames[i - 1].captured == whole_model + 2ms);
  }
}

TEST_CASE("each open frame has a gap of its own: others go on meanwhile") {
  Experiment experiment = back_to_back("1 s", "open_frames = 4\n");
  experiment.surroundings.frame_gap = 25ms;  // less than three frames take
  CHECK(run_of(experiment).delivered.front() >= 98);
}

TEST_CASE("frames that come back to back and miss their deadlines do not stop time") {
  const RunResult run = run_of(back_to_back("395 ms", "open_frames = 2\ndeadline = \"15 ms\"\n"));
  CHECK(run.frames.size() > 20);
  CHECK(run.measured == 395ms);
}

TEST_CASE("of two frames under way the second waits for the node, and for nothing else") {
  const RunResult run = run_of(experiment_of(R"(
duration = "1 s"
warm_up = "200 ms"
)" + paced_nodes(1) + dots_model + R"(
[[source]]
owner = 1
arrivals = "back_to_back"
open_frames = 2
)"));
  CHECK(run.delivered == std::vector<size_t>{80});
  for (const FrameOutcome& frame : run.frames) {
    CHECK(frame.latency == 2 * whole_model);
    CHECK(part(frame, Cause::compute) == whole_model);
    CHECK(part(frame, Cause::core) == whole_model);
  }
}

// The owner captures, node 2 computes; ports carry a million bytes of payload a second.
//
//   0.912  two messages of 128 bytes, over two ports each, and 0.2 ms of latency each way
//  42.032  40,000 bytes of float32 in three pieces with 128 bytes each; the last packet over the
//          second port; latency
//  10.000  the tile
//  42.032  its output, as large as its input
Experiment computed_elsewhere(const std::string& network = "") {
  return experiment_of(R"(
duration = "2 s"
warm_up = "0 s"
[network]
mbps = 8.497237569060773
)" + network + paced_nodes(2) +
                       dots_model + R"(
[[source]]
owner = 1
arrivals = "back_to_back"
open_frames = 1
computes = false
)");
}

TEST_CASE("a frame that another node computes takes what its messages and its tile take") {
  const RunResult run = run_of(computed_elsewhere());
  const auto quickest = std::ranges::min_element(run.frames, {}, &FrameOutcome::latency);
  REQUIRE(quickest != run.frames.end());
  CHECK(quickest->latency == 94'976us);
  CHECK(part(*quickest, Cause::slot) == 912us);
  CHECK(part(*quickest, Cause::compute) == whole_model);
  // Of each way the last piece is on the wire for 8 ms and the latency. The rest it waits for the
  // pieces before it: at the sender, which keeps few bytes under way, or behind them on the wire.
  CHECK(part(*quickest, Cause::wire) == 2 * 8200us);
  CHECK(part(*quickest, Cause::traffic) + part(*quickest, Cause::credit) ==
        2 * (42'032us - 8200us));
  REQUIRE(run.links.size() == 2);
  CHECK(run.links[0].bytes == 40'000 * static_cast<int64_t>(run.links[0].messages) / 3);
}

TEST_CASE("a relay delays each message by as much, and TCP does not see a longer round trip") {
  const auto quickest = [](const std::string& delay, bool relayed) {
    Experiment experiment = computed_elsewhere("delay_ms = " + delay + "\n");
    experiment.surroundings.relayed = relayed;
    return std::ranges::min(run_of(experiment).frames, {}, &FrameOutcome::latency).latency;
  };
  // It asks for a slot and gets one; the input, the output.
  CHECK(quickest("2.0", true) == 94'976us + 4 * 2ms);
  // A window of ten segments does not fill a way of 40 ms there and back.
  CHECK(quickest("20.0", true) < quickest("20.0", false));
}

// Frames at 0, 1 and 2 ms; each takes 10. One may be under way and one may wait.
Experiment three_frames(const std::string& more) {
  Experiment experiment = experiment_of(R"(
duration = "100 ms"
warm_up = "0 s"
)" + paced_nodes(1) + dots_model + R"(
[[source]]
owner = 1
arrivals = "back_to_back"
open_frames = 1
waiting_frames = 1
)" + more);
  experiment.file.sources[0].arrivals = {.kind = Arrivals::Kind::trace, .times = {0ms, 1ms, 2ms}};
  return experiment;
}

TEST_CASE("of more frames than may wait the oldest is dropped, or the newest, as the file says") {
  const RunResult oldest = run_of(three_frames(""));
  REQUIRE(oldest.frames.size() == 3);
  CHECK(oldest.frames[0].latency == whole_model);
  CHECK(oldest.frames[1].fate == Fate::dropped);
  CHECK(oldest.frames[2].latency == 2 * whole_model - 2ms);
  CHECK(part(oldest.frames[2], Cause::room) == whole_model - 2ms);
  const RunResult newest = run_of(three_frames("drop = \"newest\"\n"));
  CHECK(newest.frames[1].latency == 2 * whole_model - 1ms);
  CHECK(part(newest.frames[1], Cause::room) == whole_model - 1ms);
  CHECK(newest.frames[2].fate == Fate::dropped);
}

TEST_CASE("a frame that misses its deadline is late") {
  const RunResult run = run_of(three_frames("deadline = \"5 ms\"\n"));
  CHECK(run.frames[0].fate == Fate::late);
  CHECK(run.delivered == std::vector<size_t>{0});
}

constexpr const char* two_cameras = R"(
duration = "3 s"
warm_up = "500 ms"
[[source]]
owner = 1
rate = "20 /s"
arrivals = "poisson"
goal = "throughput"
open_frames = 4
[[source]]
owner = 3
rate = "15 /s"
open_frames = 3
)";

Experiment cameras(const std::string& more, int nodes = 4) {
  std::string text = two_cameras;
  const size_t tables = text.find("[[source]]");
  return experiment_of(text.substr(0, tables) + paced_nodes(nodes) + R"(
[[model]]
name = "net"
input = "64x64x3"
layers = ["conv3:8", "pool2", "conv3:8", "conv1:4"]
)" + text.substr(tables) +
                       more);
}

TEST_CASE("a run is a function of its seed") {
  const Experiment experiment = cameras("");
  const RunResult one = run_of(experiment, 5), again = run_of(experiment, 5);
  CHECK(one.trace_hash == again.trace_hash);
  CHECK(one.steps == again.steps);
  CHECK(run_of(experiment, 6).trace_hash != one.trace_hash);
  CHECK(one.frames.size() > 60);
}

TEST_CASE("two programs that always have a frame begin up to a second apart, drawn from the seed" *
          doctest::test_suite("long")) {
  const Experiment experiment = experiment_of(R"(
duration = "2 s"
warm_up = "0 s"
)" + paced_nodes(2) + dots_model + R"(
[[source]]
owner = 1
arrivals = "back_to_back"
[[source]]
owner = 2
arrivals = "back_to_back"
)");
  CHECK(drawn_parts(experiment) == std::vector<std::string>{"when source 2 begins"});
  const auto first_of = [&](uint64_t seed, size_t source) {
    const RunResult run = run_of(experiment, seed);
    return std::ranges::find(run.frames, source, &FrameOutcome::source)->captured - Time{};
  };
  CHECK(first_of(1, 0) == 0ms);
  const Duration one = first_of(1, 1), two = first_of(2, 1);
  CHECK(one != two);
  for (const Duration begin : {one, two}) CHECK((begin >= 0ms && begin < 1s));
}

TEST_CASE("designs that are compared get the same frames from the same seed" *
          doctest::test_suite("long")) {
  const RunResult four = run_of(cameras("", 4), 3), five = run_of(cameras("", 5), 3);
  CHECK(four.trace_hash != five.trace_hash);
  REQUIRE(four.frames.size() == five.frames.size());
  for (size_t i = 0; i < four.frames.size(); ++i)
    CHECK(four.frames[i].captured == five.frames[i].captured);
}

TEST_CASE("a helper dies and comes back: every frame is delivered, and its recovery is named") {
  const RunResult run = run_of(cameras(R"(
[[fault]]
at = "1 s"
kind = "crash"
node = 2
[[fault]]
at = "2 s"
kind = "restart"
node = 2
)"));
  const auto is_lost = [](const FrameOutcome& frame) {
    return frame.fate == Fate::lost || frame.fate == Fate::unfinished;
  };
  CHECK(std::ranges::none_of(run.frames, is_lost));
  CHECK(std::ranges::any_of(
      run.frames, [](const FrameOutcome& frame) { return part(frame, Cause::recovery) > 0ms; }));
}

TEST_CASE("an owner that dies loses its frames, the other one goes on") {
  const RunResult run = run_of(cameras(R"(
[[fault]]
at = "1 s"
kind = "crash"
node = 3
)"));
  bool other_went_on = false;
  for (const FrameOutcome& frame : run.frames) {
    if (frame.source == 1) CHECK(frame.captured <= Time{1s});
    if (frame.source == 0 && frame.captured > Time{2s} && frame.fate == Fate::delivered)
      other_went_on = true;
  }
  CHECK(other_went_on);
  REQUIRE_FALSE(run.events.empty());
  CHECK(run.events.back() == "1.000 s: the frames of node 3 end: it is down");
}

TEST_CASE("a node that is slowed is left out of some of the work, as `shingle run` does it" *
          doctest::test_suite("long")) {
  std::string nodes;
  for (int i = 1; i <= 4; ++i)
    nodes += "[[node]]\nid = " + std::to_string(i) + "\ngflops = 2.0\npace = true\n";
  const std::string text = nodes + R"(
[[model]]
name = "net"
input = "160x160x3"
layers = ["conv3:32", "pool2", "conv3:64", "pool2", "conv3:128", "conv1:64", "conv3:128"]
[[source]]
owner = 1
arrivals = "back_to_back"
goal = "throughput"
open_frames = 6
[[fault]]
at = "3 s"
kind = "slow"
node = 3
factor = 4.0
)";
  const RunResult replans =
      run_of(experiment_of("duration = \"12 s\"\nwarm_up = \"6 s\"\n" + text));
  const RunResult keeps = run_of(experiment_of("duration = \"12 s\"\nwarm_up = \"6 s\"\n" + text +
                                               "[policy]\nreplan = false\nsteal = false\n"));
  CHECK(replans.switches >= 1);
  CHECK(keeps.switches == 0);
  CHECK(replans.delivered[0] > keeps.delivered[0] * 11 / 10);
}

}  // namespace
}  // namespace shingle::sim
