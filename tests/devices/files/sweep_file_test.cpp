#include "devices/files/sweep_file.hpp"

#include <doctest/doctest.h>

using namespace shingle;

namespace {

const std::string head = R"(
objectives = ["latency", "energy"]
[experiment]
duration = "3 s"
[[experiment.node]]
id = 1
board = "pi4"
[[experiment.node]]
id = 2
board = "pi4"
[[experiment.model]]
name = "net"
input = "64x64x3"
layers = ["conv3:8"]
plan = "ftp:2x2:1+reuse"
[[experiment.source]]
owner = 1
rate = "1 /s"
)";

SweepFile parsed(const std::string& text) {
  auto file = parse_sweep(text, "try.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  return std::move(*file);
}
std::string axis(const std::string& keys) { return "[[axis]]\n" + keys + "\n"; }
// The experiment with the second value of the one axis.
ExperimentFile second(const std::string& keys) { return design_of(parsed(head + axis(keys)), {1}); }
void check_refusal(const std::string& text, const std::string& part) {
  const auto file = parse_sweep(text, "try.toml");
  REQUIRE_FALSE(file.ok());
  CHECK_MESSAGE(file.error().find(part) != std::string::npos, file.error());
}

}  // namespace

TEST_CASE("a sweep has an experiment, figures and axes") {
  const SweepFile file = parsed("also = [\"watts\"]\nseeds = 4\nmost_nodes = 5\n" + head +
                                axis("of = \"count\"\nnode = 2\nfrom = 0\nto = 3"));
  CHECK(file.figures ==
        std::vector<Objective>{Objective::latency, Objective::energy, Objective::watts});
  CHECK(file.objectives == 2);
  CHECK(file.seeds == 4);
  CHECK(file.most_nodes == 5U);
  REQUIRE(file.axes.size() == 1);
  CHECK(file.axes[0].name == "count of 2");
  CHECK(file.axes[0].values.size() == 4);
}

TEST_CASE("each kind of axis sets what it is named after") {
  const ExperimentFile boards = second("of = \"board\"\nnode = 2\nvalues = [\"pi4\", \"pi5\"]");
  CHECK(boards.cluster.nodes[1].profile == "pi5");
  CHECK(boards.cluster.nodes[0].profile == "pi4");
  CHECK(boards.cluster.nodes[1].gflops > boards.cluster.nodes[0].gflops);
  const ExperimentFile cores = second("of = \"cores\"\nnodes = [1, 2]\nvalues = [4, 1]");
  CHECK(cores.cluster.nodes[0].cores == 1);
  CHECK(cores.cluster.nodes[0].gflops < boards.cluster.nodes[0].gflops);
  CHECK(second("of = \"link\"\nvalues = [\"1 Gb/s\", \"10 Mb/s\"]").cluster.nodes[1].link_mbps ==
        10.0);
  CHECK(second("of = \"memory\"\nnode = 1\nvalues = [\"1 GiB\", \"64 MiB\"]")
            .cluster.nodes[0]
            .memory_bytes == 64 << 20);
  CHECK(second("of = \"ftp_grid\"\nvalues = [\"2x2\", \"3x1\"]").models[0].plan ==
        "ftp:3x1:1+reuse");
  CHECK(second("of = \"ftp_layers\"\nvalues = [1, 7]").models[0].plan == "ftp:2x2:7+reuse");
  CHECK(second("of = \"plan\"\nvalues = [\"ftp:1x1:1\", \"search\"]").models[0].plan.empty());
  CHECK(second("of = \"rate\"\nvalues = [\"1 /s\", \"30 /min\"]").sources[0].arrivals.per_second ==
        doctest::Approx(0.5));
  CHECK(second("of = \"open_frames\"\nvalues = [1, 5]").sources[0].open_frames == 5);
  CHECK(second("of = \"goal\"\nvalues = [\"latency\", \"energy\"]").sources[0].goal ==
        Goal::Kind::energy);
}

TEST_CASE("a count makes copies with ids of their own, or none") {
  const std::string of_two = head + axis("of = \"count\"\nnode = 2\nvalues = [0, 3]");
  CHECK(design_of(parsed(of_two), {0}).cluster.nodes.size() == 1);
  const ClusterFile three = design_of(parsed(of_two), {1}).cluster;
  REQUIRE(three.nodes.size() == 4);
  CHECK(three.nodes[3].id.value == 4);
  CHECK(three.nodes[3].profile == three.nodes[1].profile);
}

TEST_CASE("a network is a switch or a cell, and copies stand in it") {
  const std::string text = head + axis("of = \"count\"\nnode = 2\nvalues = [2]") +
                           axis("of = \"network\"\nvalues = [\"50 Mb/s\", \"g-54\"]");
  const ClusterFile wired = design_of(parsed(text), {0, 0}).cluster;
  CHECK(wired.points.empty());
  CHECK(wired.nodes[2].link_mbps == 50.0);
  const ClusterFile air = design_of(parsed(text), {0, 1}).cluster;
  REQUIRE(air.points.size() == 1);
  CHECK(air.points[0].mode == "g-54");
  CHECK(air.nodes[2].at == air.points[0].name);
}

TEST_CASE("what is wrong is one sentence with its line") {
  check_refusal("axes = 1\n" + head, "try.toml:1: unknown key 'axes'");
  check_refusal("objectives = [\"latency\"]", "no experiment");
  check_refusal(head, "no [[axis]]");
  check_refusal(head + axis("of = \"colour\"\nvalues = [1]"), "try.toml:20: 'of' must be one of");
  check_refusal(head + axis("of = \"count\"\nvalues = [1]"), "needs the 'node' that is copied");
  check_refusal(head + axis("of = \"count\"\nnode = 1\nvalues = [1]"), "owns a source");
  check_refusal(head + axis("of = \"count\"\nnode = 9\nvalues = [1]"), "node 9 is not in");
  check_refusal(head + axis("of = \"count\"\nnode = 2\nvalues = [-1]"), "whole numbers from 0");
  check_refusal(head + axis("of = \"board\"\nvalues = [\"pi9\"]"), "pi9");
  check_refusal(head + axis("of = \"link\"\nvalues = [\"fast\"]"), "rates such as");
  check_refusal(head + axis("of = \"link\"\nvalues = [\"0 Mb/s\"]"), "rates such as");
  check_refusal(head + axis("of = \"radio\"\nvalues = [\"g-54\"]"), "no [[cell]]");
  check_refusal(head + axis("of = \"link\"\nvalues = [\"1 Mb/s\", \"1 Mb/s\"]"), "stands twice");
  check_refusal(head + axis("of = \"rate\"\nvalues = []"), "a list of 1 to");
  check_refusal("method = \"grid\"\ndesigns = 3\n" + head, "'designs' has no meaning");
  check_refusal("method = \"nsga2\"\n" + head, "evaluations");
  check_refusal("also = [\"latency\"]\n" + head, "'latency' stands twice");
  check_refusal("also = [\"price\"]\n" + head, "'price' is no objective; there are latency");
}

TEST_CASE("an axis of other cores needs a profile") {
  const std::string paced = R"(
objectives = ["latency"]
[experiment]
duration = "3 s"
[[experiment.node]]
id = 1
gflops = 2.0
[[experiment.model]]
input = "64x64x3"
layers = ["conv3:8"]
[[experiment.source]]
owner = 1
rate = "1 /s"
)";
  check_refusal(paced + axis("of = \"cores\"\nvalues = [1]"), "it has no profile");
  check_refusal(paced + axis("of = \"ftp_layers\"\nvalues = [1]"), "is no ftp scheme");
}
