// Small experiments for tests, on nodes of which the time for the whole of the model is known.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "sim/experiment/seed_run.hpp"
#include "sim/scenario_script.hpp"

namespace shingle::sim {

// 10,000 multiply-accumulates; 0.002 GFLOP/s are 1,000 of them in a millisecond.
inline constexpr Duration whole_model = std::chrono::milliseconds(10);
inline constexpr const char* dots_model = R"(
[[model]]
name = "dots"
input = "100x100x1"
layers = ["conv1:1"]
)";

inline std::string paced_nodes(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i)
    text += "[[node]]\nid = " + std::to_string(i) + "\ngflops = 0.002\npace = true\n";
  return text;
}

// `text`: an experiment without models that lie in files.
inline Experiment experiment_of(const std::string& text) {
  auto file = parse_experiment(text, "test.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  std::vector<KnownModel> models;
  for (const ExperimentModel& each : file->models) {
    auto model = described_model(each.input, each.layers);
    REQUIRE(model.has_value());
    models.push_back(
        {.name = each.name, .model = std::make_shared<const Model>(std::move(*model))});
  }
  auto experiment = prepare(std::move(*file), models);
  REQUIRE_MESSAGE(experiment.ok(), experiment.error());
  return std::move(*experiment);
}

inline RunResult run_of(const Experiment& experiment, uint64_t seed = 1) {
  auto result = run_seed(experiment, seed);
  REQUIRE_MESSAGE(result.ok(), result.error());
  for (const std::string& breach : result->breaches) FAIL_CHECK(breach);
  return std::move(*result);
}

inline Duration part(const FrameOutcome& frame, Cause cause) {
  return frame.causes[static_cast<size_t>(cause)];
}

}  // namespace shingle::sim
