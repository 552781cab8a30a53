// FtpFrame: one frame of FTP (ftp.hpp) or several, one after the other, prepared once and run many
// times: its tiles, and what each costs on each device. A run may draw what differs between frames
// from a seed.
#pragma once

#include "partition/deepthings/ftp_tiles.hpp"
#include "partition/network/topology.hpp"

namespace shingle {

struct FtpDevice {  // or the gateway
  NodeProfile profile{};
  std::optional<DarknetCost> darknet{};  // instead of the profile
};

// The tiles of a scheme, and what they cost. Frames of one model and scheme share it.
struct FtpBlock {
  FtpScheme scheme{};
  std::vector<LayerId> layers{};
  std::vector<FtpTile> tiles{};
  double redundancy = 0.0;  // as in FtpRun
};
Result<FtpBlock> ftp_block(const Model& model, const FtpScheme& scheme);
// Of each tile on a device.
std::vector<FtpTileTime> ftp_times(const Model& model, const FtpBlock& block,
                                   const FtpDevice& device);
// Of the layers after the block.
Duration ftp_rest_time(const Model& model, const FtpBlock& block, const FtpDevice& gateway);

struct FtpFrame {
  const FtpBlock& block;    // must outlive this
  NetworkTopology network;  // hosts: the devices, the source first, then the gateway
  std::vector<std::vector<FtpTileTime>> times;  // by device, by tile
  Duration rest{};                              // of the layers after the block
  uint32_t frames = 1;         // that the source takes, each when its queue is empty
  bool gateway_sleeps = true;  // as the devices' radios do
};

// As simulate_ftp() runs it; its errors are explained there. `block` must outlive the result.
Result<FtpFrame> ftp_frame(const Model& model, const FtpBlock& block, const Cluster& cluster,
                           const ClusterNode& gateway,
                           const std::vector<FtpTileTime>& measured = {});

// What is drawn: how much longer or shorter each tile takes, and, where `phases`, when devices ask
// for the first time and where the beacons lie. Nothing by default.
struct FtpChance {
  uint64_t seed = 0;
  std::vector<double> jitter{};  // by device: relative standard deviation; empty: none
  bool phases = false;
};

FtpRun run_ftp_frame(const FtpFrame& frame, const FtpChance& chance = {});

}  // namespace shingle
