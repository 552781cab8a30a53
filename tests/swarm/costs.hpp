// What watchfulness costs where nothing is wrong: audits of sound machines, and a sound node that
// is suspected. One cluster of six boards for each seed, a steady stream of frames, virtual time.
#pragma once

#include "partition/base/time.hpp"

namespace shingle::swarm {

// Frames a second with so many tiles audited, as a share of those without: as fast as they go.
double audited_throughput(uint64_t seed, double share);

enum class Suspicion : uint8_t {
  of_connection,  // to a home that is well ends and comes back at once
  of_silence,     // nothing passes between owner and home for 450 ms, 50 more than are allowed
};

// How much longer than usual the frame takes that takes longest; the usual is the median.
Duration delay_of(uint64_t seed, Suspicion suspicion);

}  // namespace shingle::swarm
