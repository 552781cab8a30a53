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

// What a plan takes from other frames and other programs: bytes on the wires and work, as a part of
// the value. Bytes count by the share of the frame's time (or period; for other goals, of the time
// in which all nodes compute the model) that they keep all ports of the cluster busy, work relative
// to the model's. A medium counts as a port for each node, so that a medium in use all the time
// wastes as much as one such port.
double waste(const Workshop& workshop, const Timeline& line);

// The number that the search minimises. `weight`: of the waste.
double score(double value, double waste, double weight = 1.0);

// The longest latency of one frame with which a plan of so many MACs and bytes on the wires is of
// interest. Duration::max(): the latency alone does not tell.
Duration longest_latency(const Workshop& workshop, int64_t macs, int64_t wire_bytes,
                         const Bar& bar);

// The smallest cap for a node with this predicted peak, including the footprint's headroom.
int64_t least_cap(const Cluster& cluster, int64_t peak_bytes);

// True if all caps and the deadline are kept.
bool keeps_caps(const Cluster& cluster, const Timeline& line);

}  // namespace shingle
