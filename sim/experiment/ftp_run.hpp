// Runs of an experiment whose plan is DeepThings' scheme (partition/deepthings/ftp.hpp): its own
// programs in virtual time, instead of our nodes. They take one frame after the other. A seed
// draws one frame; all frames of its run take as long.
#pragma once

#include <map>

#include "partition/deepthings/ftp_frame.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/results.hpp"

namespace shingle::sim {

// What experiments of one model share: the tiles of each scheme, and their times on each device.
// Not for several threads at once.
class FtpMemo {
 public:
  Result<const FtpBlock*> block(const Model& model, const FtpScheme& scheme);
  // REQUIRES: `block` comes from here. `device`: a name that means the same device each time.
  const std::vector<FtpTileTime>& times(const Model& model, const FtpBlock& block,
                                        const std::string& name, const FtpDevice& device);
  Duration rest(const Model& model, const FtpBlock& block, const std::string& name,
                const FtpDevice& gateway);

 private:
  std::map<std::pair<const Model*, std::string>, FtpBlock> blocks_;
  std::map<std::pair<const FtpBlock*, std::string>, std::vector<FtpTileTime>> times_;
  std::map<std::pair<const FtpBlock*, std::string>, Duration> rests_;
};

class FtpExperiment {
 public:
  // REQUIRES: one source, with `ftp`. Both must outlive the result.
  static Result<FtpExperiment> prepare(const Experiment& experiment, FtpMemo& memo);

  // Nodes, links and causes are not told apart: of a frame its latency, bytes and energy are known.
  RunResult run(uint64_t seed) const;

 private:
  struct Watts {                         // of a node
    double idle = 0.0, computing = 0.0;  // computing: beyond idle
    RadioPower radio{};
    double sent_packet_joules = 0.0, received_packet_joules = 0.0;
  };
  FtpExperiment(const Experiment& experiment, FtpFrame frame)
      : experiment_(&experiment), frame_(std::move(frame)) {}
  static Watts watts_of(const ClusterFileNode& node, bool on_air);
  FrameEnergy energy_of(const FtpRun& run) const;

  const Experiment* experiment_;
  FtpFrame frame_;
  FtpChance chance_;                   // its seed is that of the run
  std::vector<Watts> watts_;           // by device
  double air_bytes_per_second_ = 0.0;  // 0: no Wi-Fi
};

// Which of the scheme's figures no measured table has: "a grid of 5x5", "4 cores", ... Empty:
// DeepThings' own boards are not simulated, or all were measured.
std::vector<std::string> extrapolated_parts(const Experiment& experiment);

}  // namespace shingle::sim
