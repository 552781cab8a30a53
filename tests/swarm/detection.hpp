// How soon do others notice that a node died, hangs, or cannot be heard any more, and how soon do
// they use it again? Each seed has one fault in a cluster with default limits and a steady stream
// of frames.
//
//   0 ...... 1 s ........... fault ................. mended, 1.5 s later ............ 6 s
#pragma once

#include "sim/cluster.hpp"

namespace shingle::swarm {

enum class Fault : uint8_t { crash, hang, one_way };

struct Detection {
  std::vector<Duration> noticed{};       // from the fault until a node noticed it, by node
  std::optional<Duration> used_again{};  // from the end of the fault to the node's next tile
  size_t missed = 0;                     // nodes that did not notice the fault
};

Detection detect(uint64_t seed, Fault fault);

// REQUIRES: `all` is not empty.
Duration percentile(std::vector<Duration> all, double percent);

}  // namespace shingle::swarm
