#include "sim/experiment/ftp_run.hpp"

#include <doctest/doctest.h>

#include "tests/sim/experiment/experiments.hpp"

using namespace shingle;
using namespace shingle::sim;

namespace {

std::string boards(int count, const std::string& cell = "[[cell]]\nname = \"home\"\n") {
  std::string text = "duration = \"1 ms\"\nwarm_up = \"0 ms\"\n" + cell;
  for (int i = 1; i <= count; ++i)
    text +=
        "[[node]]\nid = " + std::to_string(i) + "\nboard = \"pi3b\"\ncores = 1\nat = \"home\"\n";
  return text + R"(
[[model]]
name = "net"
input = "304x304x3"
layers = ["conv3:32", "pool2", "conv3:64", "pool2", "conv3:128"]
[[source]]
owner = 1
arrivals = "back_to_back"
)";
}

Experiment with_scheme(const std::string& text, const std::string& plan) {
  auto file = parse_experiment(text, "test.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  const ExperimentModel& said = file->models.front();
  auto model = described_model(said.input, said.layers);
  REQUIRE(model.has_value());
  KnownModel known{.name = said.name,
                   .model = std::make_shared<const Model>(std::move(*model)),
                   .ftp = parse_ftp(plan).value()};
  return prepare(std::move(*file), {std::move(known)}).value();
}

RunResult frame_of(const Experiment& experiment, uint64_t seed = 1) {
  RunResult run = run_of(experiment, seed);
  REQUIRE(run.frames.size() == 1);
  REQUIRE(run.frame_energy.has_value());
  return run;
}

}  // namespace

TEST_CASE("more boards are faster, and take more idle energy for the same time") {
  const RunResult one = frame_of(with_scheme(boards(1), "ftp:3x3:5+pi3"));
  const RunResult four = frame_of(with_scheme(boards(4), "ftp:3x3:5+pi3"));
  CHECK(four.frames[0].latency < one.frames[0].latency);
  const double one_watts = one.frame_energy->idle / in_nanoseconds(one.frames[0].latency);
  const double four_watts = four.frame_energy->idle / in_nanoseconds(four.frames[0].latency);
  CHECK(four_watts == doctest::Approx(4.0 * one_watts).epsilon(1e-9));
}

TEST_CASE("a board that computes alone takes what its busy core takes") {
  const RunResult run = frame_of(with_scheme(boards(1), "ftp:1x1:5+pi3"));
  // 1.8 W with one core busy, 1.4 W idle; the radio sends the output to the gateway.
  const double seconds = 1e-9 * in_nanoseconds(run.frames[0].latency);
  CHECK(run.frame_energy->active > 0.0);
  CHECK(run.frame_energy->active < 0.4 * seconds + 1.0);
}

TEST_CASE("a seed draws jitter and phases: seeds differ, the same seed does not") {
  const Experiment experiment = with_scheme(boards(3), "ftp:3x3:5+reuse+pi3");
  CHECK(frame_of(experiment, 1).frames[0].latency == frame_of(experiment, 1).frames[0].latency);
  CHECK(frame_of(experiment, 1).frames[0].latency != frame_of(experiment, 2).frames[0].latency);
  CHECK(drawn_parts(experiment).size() == 2);
}

TEST_CASE("what is kept between runs changes none of them") {
  FtpMemo memo;
  for (const char* plan : {"ftp:3x3:5+pi3", "ftp:2x2:3+pi3", "ftp:3x3:5+pi3"})
    for (int count : {1, 3}) {
      const Experiment experiment = with_scheme(boards(count), plan);
      // The memo knows models by their place, so all share this one.
      static const std::shared_ptr<const Model> model = experiment.sources.front().model;
      Experiment same = experiment;
      same.sources.front().model = model;
      const auto prepared = FtpExperiment::prepare(same, memo);
      REQUIRE(prepared.ok());
      CHECK(prepared->run(3).frames[0].latency == frame_of(same, 3).frames[0].latency);
    }
}

TEST_CASE("a faster radio is not slower") {
  const auto in_mode = [](const std::string& mode) {
    return frame_of(with_scheme(boards(3, "[[cell]]\nname = \"home\"\nmode = \"" + mode + "\"\n"),
                                "ftp:3x3:5+pi3"))
        .frames[0]
        .latency;
  };
  CHECK(in_mode("n-31-40-400") < in_mode("g-54"));
  CHECK(in_mode("g-54") < in_mode("b-11"));
}

TEST_CASE("what no measured table has is named") {
  CHECK(extrapolated_parts(with_scheme(boards(2), "ftp:3x3:5+pi3")).empty());
  CHECK(extrapolated_parts(with_scheme(boards(2), "ftp:5x5:5+pi3")) ==
        std::vector<std::string>{"a grid of 5x5"});
  CHECK(extrapolated_parts(with_scheme(boards(2), "ftp:5x5:5")).empty());
}

TEST_CASE("DeepThings' own program needs its boards") {
  const Experiment experiment = with_scheme("duration = \"1 s\"\n" + paced_nodes(2) + dots_model +
                                                "[[source]]\nowner = 1\nrate = \"1 /s\"\n",
                                            "ftp:2x2:1+pi3");
  const auto run = run_seed(experiment, 1);
  REQUIRE_FALSE(run.ok());
  CHECK(run.error().find("board = \"pi3b\"") != std::string::npos);
}
