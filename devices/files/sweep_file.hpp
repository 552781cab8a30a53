// SweepFile: an experiment and what of it varies, as a TOML file that people write
// (docs/use/simulate.md).
//
//   title = "Which boards?"              # optional
//   experiment = "boards.toml"           # beside this file; or [experiment] with its keys here:
//                                        # [[experiment.node]], [[experiment.model]], ...
//   method = "grid"                      # all designs; or "random", "nsga2"
//   designs = 500                        # random: how many
//   evaluations = 1152                   # nsga2: how many designs, ...
//   population = 48                      # ... and of these at a time (optional)
//   seed = 1                             # optional: of what random and nsga2 draw
//   seeds = 10                           # optional: runs of each design; else the experiment's
//   objectives = ["latency", "energy"]   # what designs are compared by; see objective_names()
//   also = ["active_energy"]             # optional: figures that are only reported
//   most_nodes = 12                      # optional: designs with more are left out
//
//   [[axis]]
//   name = "boards"                      # optional: what it varies
//   of = "count"                         # see below
//   node = 2                             # or nodes = [2, 3]
//   values = [0, 1, 2, 3]                # or from = 0, to = 3
//
//   of           values                  what it sets
//   count        0, 1, ...               how many of that node there are; all but the first are
//                                        copies with ids of their own
//   board        "pi4", ...              its board and its profile
//   cores        1, 2, ...               that a tile uses; the profile gives the speed
//   link         "100 Mb/s", ...         its port; without nodes: all
//   memory       "512 MiB", ...          its cap; likewise
//   network      "100 Mb/s", "n-7-20-400"  one switch with such ports, or one Wi-Fi cell
//   radio        "n-7-20-400", ...       the mode of the cells
//   plan         "search", "ftp:5x5:16"  of the model; with `model` where there are several
//   ftp_grid     "3x3", ...              the grid of a plan that is an ftp scheme, ...
//   ftp_layers   4, 8, ...               ... and its layers
//   rate         "2 /s", ...             of the sources
//   open_frames  1, 2, ...               likewise
//   goal         "latency", ...          likewise
//
// Every other key is an error that names its line.
#pragma once

#include "devices/files/experiment_file.hpp"

namespace shingle {

enum class SweepMethod : uint8_t { grid, random, nsga2 };
const std::vector<std::string>& sweep_methods();  // by SweepMethod

enum class Objective : uint8_t {
  latency,            // ms, of the median frame
  energy,             // J per frame, of all nodes
  active_energy,      // the same without what idle boards take
  frames_per_second,  // of all sources; more is better
  lost,               // share of frames that are dropped, late or lost
  watts,              // of all nodes
  memory,             // bytes, of the node that holds most
  nodes,              // how many there are
  cores,              // of all nodes together
};
const std::vector<std::string>& objective_names();  // by Objective
inline bool is_larger_better(Objective objective) {
  return objective == Objective::frames_per_second;
}

// In the order in which they are applied: copies are made last.
enum class AxisKind : uint8_t {
  board,
  cores,
  network,
  link,
  memory,
  radio,
  plan,
  ftp_grid,
  ftp_layers,
  rate,
  open_frames,
  goal,
  count,
};
const std::vector<std::string>& axis_kinds();  // by AxisKind

struct SweepValue {
  std::string text;     // as people read it
  double number = 0.0;  // of kinds that have one: Mb/s, bytes, per second
  // Of a board.
  std::optional<DeviceSpec> spec{};
  std::optional<DeviceProfile> device{};
  friend bool operator==(const SweepValue&, const SweepValue&) = default;
};

struct SweepAxis {
  std::string name;
  AxisKind kind = AxisKind::count;
  std::vector<NodeId> nodes{};  // empty: all, or the kind has none
  std::string model{};          // of plans
  std::vector<SweepValue> values;
  friend bool operator==(const SweepAxis&, const SweepAxis&) = default;
};

struct SweepFile {
  std::string title{};
  std::string experiment_file{};  // as written; empty: it stands in this file
  ExperimentFile experiment;
  SweepMethod method = SweepMethod::grid;
  uint32_t designs = 0;                       // random
  uint32_t evaluations = 0, population = 48;  // nsga2
  uint64_t seed = 1;
  uint32_t seeds = 10;
  std::vector<Objective> figures;  // the objectives, then those that are only reported
  size_t objectives = 0;           // how many of them are objectives; at least one
  std::optional<uint32_t> most_nodes{};
  std::vector<SweepAxis> axes;  // at least one
  friend bool operator==(const SweepFile&, const SweepFile&) = default;
};

// `file_name` is for errors, and files that the text names lie beside it. The text may be hostile.
Result<SweepFile> parse_sweep(std::string_view text, std::string_view file_name);
Result<SweepFile> load_sweep(const std::string& path);

// The experiment with one value of each axis. REQUIRES: `choice` has one for each.
ExperimentFile design_of(const SweepFile& sweep, const std::vector<uint32_t>& choice);

}  // namespace shingle
