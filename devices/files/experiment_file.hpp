// ExperimentFile: a simulated experiment, as a TOML file that people write (docs/use/simulate.md):
// a cluster, models, sources of frames, what happens to the nodes, and how long to look.
//
//   title = "Two Pi 4 share YOLOv3-tiny"     # optional
//   cluster = "boards.toml"                  # beside this file; or [network] and [[node]] as in a
//                                            # cluster file, here (nodes need no port then)
//   duration = "20 s"
//   warm_up = "2 s"                          # optional ("2 s"): left out of all results
//   seeds = 10                               # optional (10)
//   seed = 1                                 # optional (1): the first
//
//   [[model]]
//   name = "tiny"                            # optional: "model1"
//   file = "yolov3-tiny.onnx"                # beside this file, or ...
//   input = "416x416x3"                      # ... a chain of layers: height, width, channels,
//   layers = ["conv3:16", "pool2"]           # convKERNEL:CHANNELS[sSTRIDE], poolSIZE
//   head = "raw"                             # optional ("auto"), of a file: as in 'shingle plan'
//   plan = "boards.plan"                     # optional: of 'shingle plan --out', beside this file;
//                                            # or "ftp:5x5:16+reuse"; without it, it is searched
//
//   [[source]]
//   owner = 1                                # the node that captures the frames
//   model = "tiny"                           # optional where there is one model
//   arrivals = "periodic"                    # or "poisson", "trace", "back_to_back"
//   rate = "2 /s"                            # periodic, poisson
//   times = "times.txt"                      # trace: a file of moments, one a line: "1.5 s"
//   goal = "latency"                         # optional: as in 'shingle plan --goal'
//   open_frames = 2                          # optional (2)
//   waiting_frames = 2                       # optional (2): captured, and no room yet
//   drop = "oldest"                          # optional: or "newest"; of more than may wait
//   deadline = "2 s"                         # optional
//   computes = true                          # optional: does the owner compute tiles?
//
//   [policy]                                 # optional, as all its keys
//   steal = true
//   replan = true
//   audit = 0.0                              # share of tiles that another node computes once more
//   planning = "400 ms"                      # what a search for other plans takes
//
//   [[fault]]
//   at = "8 s"
//   kind = "crash"                           # see fault_kinds()
//   node = 2
//   other = 3                                # cut, mend, reset, clog, unclog, corrupt
//   factor = 4.0                             # slow: times; spoil: share of its tiles
//
//   [[flow]]                                 # bytes from node to node, beside all frames
//   from = 1
//   to = 2
//   bytes = "10 MB"
//   at = "1 s"                               # optional ("0 s")
//
// Every other key is an error that names its line. Parsing the printed text gives the same value.
#pragma once

#include "devices/files/cluster_file.hpp"
#include "partition/cluster/cluster.hpp"

namespace shingle {

struct ExperimentModel {
  std::string name;
  std::string file{};                 // as written; empty: described
  std::string input{};                // "416x416x3"
  std::vector<std::string> layers{};  // one after the other
  std::string plan{};                 // empty: searched
  std::string head = "auto";          // of a file; as `shingle plan --head` for the same plan
  friend bool operator==(const ExperimentModel&, const ExperimentModel&) = default;
};

struct Arrivals {
  enum class Kind : uint8_t {
    periodic,      // the phase is drawn from the seed
    poisson,       // drawn from the seed
    trace,         // at given moments
    back_to_back,  // a frame is always there
  };
  Kind kind = Kind::periodic;
  double per_second = 1.0;        // periodic, poisson
  std::string file{};             // trace: as written
  std::vector<Duration> times{};  // trace: ascending
  friend bool operator==(const Arrivals&, const Arrivals&) = default;
};

struct ExperimentSource {
  NodeId owner;
  std::string model;
  Arrivals arrivals{};
  Goal::Kind goal = Goal::Kind::latency;
  uint32_t open_frames = 2, waiting_frames = 2;
  bool drops_oldest = true;
  std::optional<Duration> deadline{};
  bool computes = true;
  friend bool operator==(const ExperimentSource&, const ExperimentSource&) = default;
};

struct ExperimentPolicy {
  bool steals = true, replans = true;
  double audit_share = 0.0;
  Duration planning = std::chrono::milliseconds(400);
  friend bool operator==(const ExperimentPolicy&, const ExperimentPolicy&) = default;
};

enum class FaultKind : uint8_t {
  crash,
  power_off,
  restart,
  hang,
  wake,
  slow,
  stall,
  resume,
  break_executor,
  damage_weights,
  spoil,
  squeeze,
  relieve,
  cut,
  mend,
  reset,
  clog,
  unclog,
  corrupt,
};
const std::vector<std::string>& fault_kinds();  // by FaultKind: "crash", "power_off", ...
bool is_of_two_nodes(FaultKind kind);

struct ExperimentFault {
  Duration at{};
  FaultKind kind = FaultKind::crash;
  NodeId node;
  NodeId other{};       // of two nodes only
  double factor = 1.0;  // slow, spoil
  friend bool operator==(const ExperimentFault&, const ExperimentFault&) = default;
};

struct ExperimentFlow {
  NodeId from, to;
  int64_t bytes = 0;
  Duration at{};
  friend bool operator==(const ExperimentFlow&, const ExperimentFlow&) = default;
};

struct ExperimentFile {
  std::string title{};
  std::string cluster_file{};  // as written; empty: the nodes stand in this file
  ClusterFile cluster;
  std::vector<ExperimentModel> models{};
  std::vector<ExperimentSource> sources{};  // at least one source or flow
  ExperimentPolicy policy{};
  std::vector<ExperimentFault> faults{};
  std::vector<ExperimentFlow> flows{};
  Duration duration{};
  Duration warm_up = std::chrono::seconds(2);
  uint32_t seeds = 10;
  uint64_t first_seed = 1;
  friend bool operator==(const ExperimentFile&, const ExperimentFile&) = default;
};

// `file_name` is for errors, and files that the text names lie beside it. The text may be hostile.
Result<ExperimentFile> parse_experiment(std::string_view text, std::string_view file_name);
std::string print(const ExperimentFile& file);

// Reads the file and parses it.
Result<ExperimentFile> load_experiment(const std::string& path);

// The path of what lies beside `file` under that name; of an absolute path, the path.
std::string beside_file(const std::string& file, const std::string& name);

}  // namespace shingle
