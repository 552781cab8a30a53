// Footprint: what the program that computes tiles keeps in memory besides the maps that a plan
// moves. The planner knows no kernels; the code that knows them supplies the numbers
// (devices/native_footprint).
//
//   a node  =  weights in the form that its kernels read
//           +  buffers of its passes: those of the largest pass, kept from the plan's first frame
//           on
//           +  canvases: maps that tiles read and write, at their maximum       (the simulation)
//           +  what every process needs: threads, the plan, queues to and from each peer
//   In addition the owner has results that pass through the program (pictures are canvases). With
//   one open frame, the maps are gone by then, so the peak is the larger of the two. With several
//   open frames, maps of the other frames are there at the same time.
#pragma once

#include <algorithm>
#include <functional>

#include "partition/plan/program.hpp"

namespace shingle {

// Of a tile's pass: maps between its steps (of which only some rows may exist at any time), and the
// working memory of kernels.
struct PassBuffers {
  int64_t maps_bytes = 0, scratch_bytes = 0;
};

inline PassBuffers larger(const PassBuffers& a, const PassBuffers& b) {
  return {std::max(a.maps_bytes, b.maps_bytes), std::max(a.scratch_bytes, b.scratch_bytes)};
}

struct Footprint {
  std::function<PassBuffers(const Model&, const TileProgram&)> pass;
  std::function<int64_t(const Model&, const Step&)>
      weights;                      // in the form that the step's kernel reads
  int64_t process_bytes = 0;        // of any process that computes for others
  int64_t owner_process_bytes = 0;  // of the owner; its process has already read a model
  int64_t peer_bytes = 0;           // for each other node
  double queued =
      0.0;  // share of the bytes that a frame makes the node send and receive between canvases
  double results_at_owner = 0.0;  // copies of a result, besides the canvas that it arrived in
  double headroom = 0.0;  // share of a peak that a cap must leave free, because predictions of
                          // peaks are not exact
};

// What a node's program takes once, whatever it computes. `members`: all programs of the cluster,
// an owner that computes nothing included.
inline int64_t program_bytes(const Footprint& footprint, size_t members, bool is_owner) {
  const int64_t process = is_owner ? footprint.owner_process_bytes : footprint.process_bytes;
  return process + footprint.peer_bytes * (static_cast<int64_t>(members) - 1);
}

}  // namespace shingle
