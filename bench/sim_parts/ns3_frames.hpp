// Frames of real plans: the nodes' own code on either model of the network, with the same seeds.
#pragma once

#include <cmath>

#include "bench/sim_parts/ns3_seeds.hpp"
#include "partition/network/wifi_table.hpp"
#include "sim/experiment/seed_run.hpp"
#include "sim/scenario_script.hpp"

namespace shingle::bench {

enum class Wires : uint8_t { star, cell };

inline sim::Experiment experiment_of(const std::string& text) {
  ExperimentFile file = must(parse_experiment(text, "drawn"));
  std::vector<sim::KnownModel> models;
  for (const ExperimentModel& each : file.models)
    models.push_back({.name = each.name,
                      .model = std::make_shared<const Model>(
                          sim::described_model(each.input, each.layers).value())});
  sim::Experiment experiment = must(sim::prepare(std::move(file), models));
  // What a message takes besides the air cannot be told to shingle-ns3.
  if (!experiment.file.cluster.points.empty()) experiment.surroundings.message_latency = {};
  return experiment;
}

// The front of YOLOv2, on a smaller picture.
inline std::string model_text(int32_t side) {
  const std::string length = std::to_string(side);
  return "[[model]]\nname = \"front\"\ninput = \"" + length + "x" + length +
         "x3\"\nlayers = [\"conv3:32\", \"pool2\", \"conv3:64\", \"pool2\", \"conv3:128\", "
         "\"conv1:64\", \"conv3:128\", \"pool2\", \"conv3:256\"]\n";
}

struct DrawnExperiment {
  std::string name, text;
};

inline std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

inline std::string cluster_text(Draw& draw, Wires wires, std::string& name) {
  const int32_t nodes = draw.random.between(2, 6);
  name = std::to_string(nodes) + " nodes, ";
  std::string text, at;
  if (wires == Wires::star) {
    const double mbps = draw.log_between(20.0, 300.0);
    text = "[network]\nmbps = " + number(mbps) + "\n";
    name += number(mbps) + " Mb/s";
  } else {
    const std::vector<std::string_view> modes = wifi_modes();
    const bool ad_hoc = draw.random.chance(0.5);
    // 802.11b carries no frame in the time that a bench has.
    const std::string mode(
        modes[static_cast<size_t>(draw.random.between(1, static_cast<int32_t>(modes.size()) - 1))]);
    text = std::string("[[cell]]\nname = \"home\"\nkind = \"") +
           (ad_hoc ? "ad_hoc" : "access_point") + "\"\nmode = \"" + mode + "\"\n";
    at = "at = \"home\"\n";
    name += mode + (ad_hoc ? " ad hoc" : " access point");
  }
  for (int32_t i = 1; i <= nodes; ++i)
    text += "[[node]]\nid = " + std::to_string(i) + "\ngflops = " + number(draw.between(2.0, 8.0)) +
            "\npace = true\n" + at;
  return text;
}

inline DrawnExperiment drawn_experiment(uint64_t seed, Wires wires, double length,
                                        int32_t most_side) {
  Draw draw{sim::Random(seed)};
  DrawnExperiment drawn;
  const int32_t side = 32 * draw.random.between(4, most_side / 32);
  const bool alone = draw.random.chance(0.5);  // one frame at a time
  // In a cell the owner might else compute everything itself, and nothing cross the air.
  const bool computes = wires == Wires::star && draw.random.chance(0.5);
  const std::string cluster = cluster_text(draw, wires, drawn.name);
  drawn.name += ", " + std::to_string(side) + (alone ? "" : ", 2 open");
  drawn.text = "duration = \"" + number(length) + " s\"\nwarm_up = \"1 s\"\n" + cluster +
               model_text(side) + "[[source]]\nowner = 1\narrivals = \"back_to_back\"\n" +
               "open_frames = " + (alone ? "1" : "2") + (computes ? "" : "\ncomputes = false") +
               "\n[policy]\nreplan = false\n";
  return drawn;
}

// The mean latency of frames, in ms.
inline double latency_of(const sim::Experiment& experiment, const sim::StartSimulator& simulator,
                         uint64_t seed) {
  const sim::RunResult run = must(sim::run_seed(experiment, seed, {.simulator = simulator}));
  for (const std::string& breach : run.breaches) must(Result<bool>(Error{breach}));
  std::vector<double> latencies;
  for (const sim::FrameOutcome& frame : run.frames)
    if (frame.fate == sim::Fate::delivered)
      latencies.push_back(in_nanoseconds(frame.latency) / 1e6);
  return mean_of(latencies);
}

inline double frame_error(const sim::StartSimulator& simulator, uint64_t seed, Wires wires) {
  constexpr size_t cases = 12;
  std::printf("\nFrames %s, mean latency over 5 seeds (target: %s)\n",
              wires == Wires::star ? "on stars" : "in Wi-Fi cells",
              wires == Wires::star ? "2 %" : "8 %");
  std::vector<std::string> rows(cases);
  std::vector<double> errors(cases);
  on_all_cores(cases, [&](size_t i) {
    const DrawnExperiment drawn = drawn_experiment(
        sim::mix(seed, (wires == Wires::star ? 2000U : 3000U) + i), wires, 5.0, 416);
    const sim::Experiment experiment = experiment_of(drawn.text);
    const double fluid = settled([&](uint64_t run) {  // a cell's turns are drawn
                           return std::vector<double>{latency_of(experiment, {}, run)};
                         })[0]
                             .mean;
    const std::vector<sim::Interval> packets = settled(
        [&](uint64_t run) { return std::vector<double>{latency_of(experiment, simulator, run)}; });
    errors[i] = std::abs(fluid - packets[0].mean) / packets[0].mean;
    char row[160];
    std::snprintf(row, sizeof row, "  %-46s fluid %8.2f  ns-3 %8.2f +/- %5.2f ms  %6.2f %%",
                  drawn.name.c_str(), fluid, packets[0].mean, packets[0].half_width,
                  100 * errors[i]);
    rows[i] = row;
  });
  for (const std::string& row : rows) std::printf("%s\n", row.c_str());
  return mean_of(errors);
}

// Empty: every byte arrived.
inline std::string stall_of(const sim::StartSimulator& simulator, uint64_t seed) {
  const DrawnExperiment drawn = drawn_experiment(seed, Wires::cell, 2.0, 192);
  const auto run =
      sim::run_seed(experiment_of(drawn.text), seed % 1'000'000, {.simulator = simulator});
  if (!run) return drawn.name + ": " + run.error();
  return run->breaches.empty() ? "" : drawn.name + ": " + run->breaches.front();
}

inline size_t stalls(const sim::StartSimulator& simulator, uint64_t seed) {
  constexpr size_t runs = 200;
  std::printf("\n%zu closed-loop runs in Wi-Fi cells (target: 0 stalls)\n", runs);
  std::vector<std::string> found(runs);
  on_all_cores(runs, [&](size_t i) { found[i] = stall_of(simulator, sim::mix(seed, 4000 + i)); });
  size_t count = 0;
  for (const std::string& stall : found) {
    if (stall.empty()) continue;
    std::printf("  stall: %s\n", stall.c_str());
    ++count;
  }
  return count;
}

}  // namespace shingle::bench
