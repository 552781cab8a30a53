// The value of a simulated plan under a goal.
#pragma once

#include "partition/search/draft.hpp"

namespace shingle {

// The frames to simulate for the goal; one if more would not change the value.
StreamOfFrames stream_of(const Cluster& cluster, const Goal& goal);

// The value that the goal minimises: nanoseconds for latency and throughput, nanojoules, or bytes.
// If a memory cap or the deadline is missed, it is far above all of these, and grows with the
// excess.
double value_of(const Workshop& workshop, const Timeline& line);

// The weight of being lean (few bytes on the wires, little redundant work) relative to the value.
struct Leaning {
  double weight = 1.0;
  double good_enough = 0.0;  // values up to here count as equal
};

// The number that the search minimises.
double score(const Workshop& workshop, const Timeline& line, const Leaning& leaning);

// The smallest cap for a node with this predicted peak, including the footprint's headroom.
int64_t least_cap(const Cluster& cluster, int64_t peak_bytes);

// True if all caps and the deadline are kept.
bool keeps_caps(const Cluster& cluster, const Timeline& line);

}  // namespace shingle
