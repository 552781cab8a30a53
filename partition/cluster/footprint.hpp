// Footprint: what the program that computes tiles holds in memory beside the maps that a plan
// moves. The planner knows no kernels; whoever knows them says what they hold
// (devices/native_footprint).
//
//   a node  =  weights as its kernels read them
//           +  buffers of its passes: those of the largest, kept from the plan's first frame on
//           +  canvases: maps that tiles read and write, at their most          (the simulation)
//           +  what any process takes: threads, the plan, queues to and from each peer
//   the owner besides: results on their way through the program (pictures are canvases). With one
//   frame open its maps are gone by then, so its peak is the larger of the two; with more of them
//   others' maps are there all the while.
#pragma once

#include <algorithm>
#include <functional>

#include "partition/plan/program.hpp"

namespace shingle {

// Of the tile's pass: maps between its steps (of which only some rows may ever exist), and what
// kernels work with.
struct PassBuffers {
  int64_t maps_bytes = 0, scratch_bytes = 0;
};

inline PassBuffers larger(const PassBuffers& a, const PassBuffers& b) {
  return {std::max(a.maps_bytes, b.maps_bytes), std::max(a.scratch_bytes, b.scratch_bytes)};
}

struct Footprint {
  std::function<PassBuffers(const Model&, const TileProgram&)> pass;
  std::function<int64_t(const Model&, const Step&)> weights;  // as the step's kernel reads them
  int64_t process_bytes = 0;                                  // of any that computes for others
  int64_t owner_process_bytes = 0;  // of the owner: its bare process has read a model already
  int64_t peer_bytes = 0;           // for each other node
  double queued = 0.0;              // share of what a frame has the node exchange between canvases
  double results_at_owner = 0.0;    // copies of a result, beside the canvas that it came in
  double headroom = 0.0;  // of a peak: what a cap must leave free, as peaks are foreseen no better
};

}  // namespace shingle
