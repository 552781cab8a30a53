// Experiment: everything that simulated runs need, as one value: the file that people wrote, its
// models, and the plan of each source. A run adds a seed and nothing else.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "devices/files/experiment_file.hpp"
#include "partition/deepthings/ftp.hpp"
#include "runtime/owner/replanner.hpp"
#include "sim/experiment/experiment_network.hpp"

namespace shingle::sim {

struct PlannedSource {
  std::shared_ptr<const Model> model;
  Rotation rotation{};               // empty: `ftp`
  std::optional<PlanBasis> basis{};  // none: the rotation is kept, whatever happens
  std::optional<FtpScheme> ftp{};
  std::vector<NodeLoad> loads{};  // predicted, by node: weights, among others
};

// What programs and wires do beside what the file says of nodes and network.
struct Surroundings {
  // Of a message from program to program, besides the time that its bytes take and the network's
  // delay. By default as the planner assumes it of boards at a switch.
  Duration message_latency = usual_message_latency;
  Duration handover{};   // before a tile, on average: from the node's thread to that which computes
  Duration frame_gap{};  // where frames come back to back: from one's end until the next's capture
  // The network's delay is that of a relay that ends connections, as in the lab where the kernel
  // cannot delay packets (docs/develop/lab.md).
  bool relayed = false;
};

struct Experiment {
  ExperimentFile file;
  std::vector<PlannedSource> sources;  // as file.sources
  Surroundings surroundings{};
};

// Nodes join before this moment of a run; then frames come.
inline constexpr Time experiment_start = Time{} + std::chrono::seconds(1);

// Programs do not begin at one moment: sources whose frames come back to back begin up to a second
// after the first, drawn from the seed.
bool begins_by_chance(const ExperimentFile& file, size_t source);

// What of an experiment is drawn from the seed: "arrivals of source 1", ... Empty: all seeds give
// the same run.
std::vector<std::string> drawn_parts(const Experiment& experiment);

// A model with the plans that its file names; both are read by the caller.
struct KnownModel {
  std::string name;  // as in the file
  std::shared_ptr<const Model> model;
  Rotation rotation{};  // empty: searched, or `ftp`
  std::optional<FtpScheme> ftp{};
};

// Plans each source as its owner would: it knows its own streams and no other owner's. The error
// names the source that has no plan.
Result<Experiment> prepare(ExperimentFile file, const std::vector<KnownModel>& models);

}  // namespace shingle::sim
