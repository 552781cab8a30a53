// FTP: DeepThings' fused tile partitioning as its paper and code describe it, to compare with: one
// deep block in a grid, tiles that idle devices steal, reuse data through a gateway.
//
//   source (a device) --input--> whoever steals the tile            gateway: who has tiles to
//   steal, even tiles: halos and all --what they share with odd ones-->    reuse data, results, the
//   layers odd tiles:  only what no even neighbour has <--that--           behind the block
//
// The source holds the frame's tiles, even ones first, and takes them from its queue one after the
// other; so does everybody else: asks the gateway who has any, asks that one for a tile, gets the
// input from it and reuse data from the gateway, computes, hands reuse data on; if there is none,
// asks again after 100 ms. An odd tile whose neighbours' data are not all with the gateway when it
// is taken is *rolled back*: computed alone, with all of its halo. The gateway and the source serve
// one connection at a time, and each exchange opens its own.
//
// Known as "ftp:5x5:16+reuse": the grid, the layers (as Darknet counts them: convolutions and
// pools), and whether odd tiles reuse. No plan: a layer's map is computed twice where tiles
// overlap, and which parts are is decided while it runs. Here it is simulated; bench/ftp/ runs it.
#pragma once

#include <optional>
#include <string_view>

#include "partition/cluster/cluster.hpp"
#include "partition/model/model.hpp"

namespace shingle {

// What Darknet takes for a tile where it is as slow as a Pi 3: arithmetic, gathering what a layer
// of several taps reads (im2col), writing and activating, and going through all weights once more.
struct DarknetCost {
  double ns_per_mac = 0.0, ns_per_gathered = 0.0, ns_per_element = 0.0, ns_per_weight = 0.0;
  friend bool operator==(const DarknetCost&, const DarknetCost&) = default;
};

struct FtpScheme {
  int32_t rows = 5, columns = 5;
  int32_t layers = 16;
  bool reuse = false;
  // DeepThings' own program and not only its scheme: Darknet's costs, and what the program wastes.
  // Darknet pads, so a convolution computes as many pixels as its tile has, the ring around the
  // wanted ones too, which is then cropped; and strips are as long as the tile, so corners are sent
  // by two neighbours. Without it nodes cost what their profiles say, for what is needed.
  std::optional<DarknetCost> darknet{};
  int64_t loading_ns = 0;  // at the source, before the frame's tiles can be taken
  friend bool operator==(const FtpScheme&, const FtpScheme&) = default;
};

// A sentence that says how it is written for anything else.
Result<FtpScheme> parse_ftp(std::string_view text);

// As it ran on Pi 3 boards, one core each; docs/understand/planner.md says where the figures are
// from.
FtpScheme as_on_pi3(FtpScheme scheme);

// All of one frame.
struct FtpRun {
  double redundancy = 0.0;  // of the block if nothing is rolled back: MACs over its layers', less 1
  int64_t latency_ns = 0;   // until the gateway has the network's output
  int64_t block_ns = 0;     // until it has the block's
  int64_t input_bytes = 0;  // from the source to others
  int64_t shared_bytes = 0;  // of even and odd tiles, to the gateway and from it
  int64_t output_bytes = 0;  // of the block
  int32_t rolled_back = 0;   // tiles
  int64_t wire_bytes() const { return input_bytes + shared_bytes + output_bytes; }
};

// The source is the cluster's first node. `gateway`: what the seventh of six hosts is like; its id
// must not be in the cluster. An error where the model's first layers are no chain of maps, or
// fewer than asked.
Result<FtpRun> simulate_ftp(const Model& model, const Cluster& cluster, const ClusterNode& gateway,
                            const FtpScheme& scheme);

}  // namespace shingle
