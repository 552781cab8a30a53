// How soon is it noticed that a node died, fell silent or is cut off one way, and how soon is it
// used again? One fault a seed on a cluster with a steady stream of frames and the limits that
// nodes have if nobody says otherwise.
//
//   0 ...... 1 s ........... fault ................. mended, 1.5 s later ............ 6 s
#pragma once

#include "sim/cluster.hpp"

namespace shingle::swarm {

enum class Fault : uint8_t { crash, hang, one_way };

struct Detection {
  std::vector<Duration> noticed{};       // by each node that could: from the fault on
  std::optional<Duration> used_again{};  // from its mending to the next tile that it computed
  size_t missed = 0;                     // nodes that did not notice
};

Detection detect(uint64_t seed, Fault fault);

// The value that so many of a hundred do not exceed. REQUIRES: not empty.
Duration percentile(std::vector<Duration> all, double percent);

}  // namespace shingle::swarm
