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
// the gateway. If there are no tiles, it asks again after 100 ms. If the data of an odd tile's
// neighbours are not all at the gateway when the tile is taken, the tile is *rolled back*: computed
// alone, with its whole halo. The gateway and the source serve one connection at a time, and each
// exchange opens a connection of its own.
//
// A scheme is written "ftp:5x5:16+reuse": the grid, the number of layers (as Darknet counts them:
// convolutions and pools), and whether odd tiles reuse data. It is no plan: a layer's map is
// computed twice where tiles overlap, and which parts are computed twice is decided at run time.
// Here it is simulated; bench/ftp/ executes it.
#pragma once

#include <optional>
#include <string_view>

#include "partition/base/time.hpp"
#include "partition/cluster/cluster.hpp"
#include "partition/model/model.hpp"

namespace shingle {

// The time that Darknet needs for a tile on a machine as slow as a Pi 3: arithmetic, im2col
// (gathering the input of a layer with several taps), writing and activation, and reading all
// weights once more.
struct DarknetCost {
  double ns_per_mac = 0.0, ns_per_gathered = 0.0, ns_per_element = 0.0, ns_per_weight = 0.0;
  friend bool operator==(const DarknetCost&, const DarknetCost&) = default;
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
  friend bool operator==(const FtpScheme&, const FtpScheme&) = default;
};

// An error explains how a scheme is written.
Result<FtpScheme> parse_ftp(std::string_view text);

// The scheme as it ran on Pi 3 boards with one core each; docs/understand/planner.md gives the
// source of the numbers.
FtpScheme as_on_pi3(FtpScheme scheme);

// The totals of one frame.
struct FtpRun {
  double redundancy = 0.0;   // of the block without roll-backs: its MACs / MACs of its layers - 1
  Duration latency{};        // until the gateway has the output of the network
  Duration block_latency{};  // until it has the output of the block
  int64_t input_bytes = 0;   // from the source to others
  int64_t shared_bytes = 0;  // between even and odd tiles, to the gateway and from it
  int64_t output_bytes = 0;  // of the block
  int32_t rolled_back = 0;   // tiles
  int64_t wire_bytes() const { return input_bytes + shared_bytes + output_bytes; }
};

// The source is the cluster's first node. `gateway`: the additional machine; its id must not be in
// the cluster. Returns an error if the model's first layers are not a chain of maps, or if there
// are fewer layers than the scheme says.
Result<FtpRun> simulate_ftp(const Model& model, const Cluster& cluster, const ClusterNode& gateway,
                            const FtpScheme& scheme);

}  // namespace shingle
