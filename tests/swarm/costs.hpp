// The cost of audits and of false suspicions: nothing is wrong with any machine, but some tiles are
// audited, or one node is taken for lost. Each seed gives a cluster of six boards and a steady
// stream of frames, in virtual time.
#pragma once

#include "partition/base/time.hpp"

namespace shingle::swarm {

// The frames per second with this share of the tiles audited, divided by those without audits. All
// frames are captured at once.
double audited_throughput(uint64_t seed, double share);

enum class Suspicion : uint8_t {
  of_connection,  // the connection to a sound home ends and comes back at once
  of_silence,     // nothing passes between owner and home for 450 ms; 400 ms are allowed
};

// The time of the slowest frame minus that of the median frame.
Duration delay_of(uint64_t seed, Suspicion suspicion);

}  // namespace shingle::swarm
