// What a simulated plan is worth under a goal.
#pragma once

#include "partition/search/draft.hpp"

namespace shingle {

// The frames that a plan is simulated for under the goal: one where nothing depends on more.
StreamOfFrames stream_of(const Cluster& cluster, const Goal& goal);

// What the goal asks for; lower is better: nanoseconds for latency and throughput, nanojoules,
// bytes. Far above all of them where a memory cap or the deadline is broken, more the further.
double value_of(const Workshop& workshop, const Timeline& line);

// How much being lean (few bytes on the wires, little redundant work) counts beside the value.
struct Leaning {
  double weight = 1.0;
  double good_enough = 0.0;  // values up to here count as equal
};

// What the search goes by; lower is better.
double score(const Workshop& workshop, const Timeline& line, const Leaning& leaning);

// The smallest cap of a node whose peak is foreseen to be so much, with the footprint's headroom.
int64_t least_cap(const Cluster& cluster, int64_t peak_bytes);

// Caps are kept, and the deadline.
bool keeps_caps(const Cluster& cluster, const Timeline& line);

}  // namespace shingle
