// FTP: DeepThings' fused tile partitioning as its paper and code describe it, for comparison: one
// deep block cut into a grid, tiles that idle devices steal, and shared data ("reuse data") that
// goes through a gateway.
//
//   source (a device)                    thief (a device)                       gateway
//     | --- input of a stolen tile -------> |                                      |
//     |     even: with its whole halo       | --- even: data for odd neighbours -> |  keeps reuse
//     |     odd: only what no even          | <-- odd: data of even neighbours --- |  data, and a
//     |     neighbour computes              | --- output of the block -----------> |  list of who
//     |                                     |                                      |  has tiles
//   The gateway computes the layers after the block.
//
// The source holds the frame's tiles, even ones first, and takes them from its queue one after the
// other. Every other device asks the gateway which device has tiles, asks that device for a tile,
// gets the input from it and the reuse data from the gateway, computes, and sends its reuse data to
// the gateway. If there are no tiles, it asks again after 100 ms. If the source does not know of
// all of an odd tile's neighbours that they are computed when the tile is taken, the tile is
// *rolled back*: computed alone, with its whole halo. When its queue is empty, the source takes the
// next frame and does not wait for what thieves still compute.
//
// The gateway and the source serve one connection at a time, and each exchange opens a connection
// of its own. A thread that sends goes on when its kernel has all data, and then a third has
// arrived: Linux' send buffer holds two windows, and a window doubles in each round trip. Closing a
// connection sends what was held back.
//
// A scheme is written "ftp:5x5:16+reuse": the grid, the number of layers (as Darknet counts them:
// convolutions and pools), whether odd tiles reuse data, and with +pi3 that DeepThings' own program
// runs on Pi 3 boards (as_on_pi3). It is no plan: a layer's map is
// computed twice where tiles overlap, and which parts are computed twice is decided at run time.
// Here it is simulated; bench/ftp/ executes it.
#pragma once

#include <optional>
#include <string_view>

#include "partition/base/time.hpp"
#include "partition/cluster/cluster.hpp"
#include "partition/model/model.hpp"

namespace shingle {

// The time that Darknet with NNPACK's implicit GEMM, which DeepThings runs on, needs for a tile, by
// what it does (ftp_darknet.hpp counts it): the kernel multiplies 12 pixels at a time; before, it
// packs each layer's input as columns and its weights, one element after the other; afterwards each
// element is normalised, activated and cropped. A tile that reuses data copies each layer's input
// together.
struct DarknetCost {
  double ns_per_mac = 0.0;
  double ns_per_gathered = 0.0;   // elements of the columns of layers with several taps, ...
  double ns_per_pointwise = 0.0;  // ... and of layers with one
  double ns_per_element = 0.0;    // of a convolution's output
  double ns_per_weight = 0.0;
  double ns_per_pooled = 0.0;    // elements that a pool reads
  double ns_per_stitched = 0.0;  // elements of inputs copied together; by one thread
  friend bool operator==(const DarknetCost&, const DarknetCost&) = default;
};

// What costs time on the boards besides tiles and wires.
struct FtpBoards {
  // The processor's time for each packet. A board has one core, so a tile waits for packets.
  Duration send_packet{}, receive_packet{};
  // A radio that has neither sent nor received for this time sleeps. What is sent to it waits for
  // the next beacon. Zero: radios never sleep.
  Duration radio_sleeps_after{}, beacon_interval{};
  // Each request of the program is several writes, and TCP holds all but the first back until that
  // is acknowledged (Nagle's algorithm).
  bool two_writes = false;
  // The gateway is the access point of the boards' Wi-Fi, where the cluster has a shared medium:
  // what one board sends another crosses the air twice, and the gateway's radio never sleeps.
  bool gateway_is_access_point = false;
  friend bool operator==(const FtpBoards&, const FtpBoards&) = default;
};

struct FtpScheme {
  int32_t rows = 5, columns = 5;
  int32_t layers = 16;
  bool reuse = false;
  // If set, DeepThings' own program is simulated and not only its scheme: Darknet's costs and the
  // program's overhead. Darknet pads, so a convolution computes as many pixels as its tile has,
  // including the ring around the needed ones, which is cropped afterwards. Strips are as long as
  // the tile, so two neighbours send each corner. If not set, nodes need what their profiles say,
  // for the needed pixels only.
  std::optional<DarknetCost> darknet{};
  Duration loading{};  // at the source, before devices can take tiles of the frame
  FtpBoards boards{};
  friend bool operator==(const FtpScheme&, const FtpScheme&) = default;
};

// An error explains how a scheme is written.
Result<FtpScheme> parse_ftp(std::string_view text);

// The scheme as it ran on Pi 3 boards with one core each; docs/understand/devices.md gives the
// source of the numbers. A message takes pi3_latency_us each time that it crosses the Wi-Fi.
FtpScheme as_on_pi3(FtpScheme scheme);
inline constexpr double pi3_latency_us = 3000.0;

// Darknet's costs on a Pi 3 that uses this many of its four cores: fitted to the measured tables
// for one and two, else extrapolated from one core and the speed-up of four by Amdahl's law.
// REQUIRES: 1 <= cores <= 4.
DarknetCost pi3_darknet(int32_t cores);

// The time that a device needs for a tile, in each of the two ways.
struct FtpTileTime {
  Duration alone{}, reusing{};
};

// What a device did.
struct FtpUse {
  Duration computing{};  // packets included
  int64_t sent_bytes = 0, received_bytes = 0;
  int64_t sent_packets = 0, received_packets = 0;  // acknowledgements included
  int32_t tiles = 0;
};

// The totals of one frame, or of all frames of an FtpFrame.
struct FtpRun {
  double redundancy = 0.0;   // of the block without roll-backs: its MACs / MACs of its layers - 1
  Duration latency{};        // until the gateway has the output of the network, of the last frame
  Duration block_latency{};  // until it has the output of the block, likewise
  int64_t input_bytes = 0;   // from the source to others
  int64_t shared_bytes = 0;  // between even and odd tiles, to the gateway and from it
  int64_t output_bytes = 0;  // of the block
  int32_t rolled_back = 0;   // tiles
  std::vector<FtpUse> devices{};  // the gateway is the last one
  int64_t wire_bytes() const { return input_bytes + shared_bytes + output_bytes; }
};

// The source is the cluster's first node. `gateway`: the additional machine; its id must not be in
// the cluster. Returns an error if the model's first layers are not a chain of maps, or if there
// are fewer layers than the scheme says. `measured`: by tile, row by row, on every device of the
// cluster; empty: what the scheme or the nodes' profiles give.
Result<FtpRun> simulate_ftp(const Model& model, const Cluster& cluster, const ClusterNode& gateway,
                            const FtpScheme& scheme, const std::vector<FtpTileTime>& measured = {});

}  // namespace shingle
