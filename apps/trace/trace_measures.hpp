// What a trace says of each node and of each way between two nodes, from the first captured frame
// to the end of the last one.
//
//   delay           1st percentile of the times of messages without a tensor: they meet free wires
//   time per byte   median of (time - delay) / (bytes that its busier port carried meanwhile), over
//                   the pieces that met most bytes on their way:
//
//        a ==[ a's port ]== way ==[ b's port ]==> b
//
//     However ways share a port, it carries about (time * rate) bytes. So the figure hardly depends
//     on the load, and a way with a lower rate of its own stands out.
//   excess          what remains of a time after both: a stall, as from a lost packet
#pragma once

#include <map>
#include <utility>

#include "apps/trace/recorded_trace.hpp"

namespace shingle {

using TracedWay = std::pair<NodeId, NodeId>;  // from, to

struct WayMeasures {
  size_t messages = 0, pieces = 0;
  int64_t bytes = 0;
  double delay_ms = 0.0;
  // Over the pieces that meet most bytes of their own way: median of the time beyond the delay, by
  // byte of the busier port; median, 10th and 75th percentile by byte of the way. 0: too few
  // pieces.
  double ns_per_byte = 0.0;
  double ns_per_way_byte = 0.0, fast_ns_per_way_byte = 0.0, slow_ns_per_way_byte = 0.0;
  std::vector<double> excess_ms;  // descending; of all messages
  int64_t most_in_flight_bytes = 0;
  int64_t resent = -1;     // packets that TCP sent again; -1: the trace does not say
  double packets() const;  // about so many were sent
};

struct NodeMeasures {
  std::map<std::pair<PlanHash, TileId>, double> tile_ms;  // medians
  double compute_ms = 0.0;                                // of all tiles together
  int64_t credit_bytes = -1;                              // as the node says; -1: it does not
};

struct TraceMeasures {
  size_t frames = 0;  // delivered
  double latency_p50_ms = 0.0, period_ms = 0.0;
  std::map<TracedWay, WayMeasures> ways;
  std::map<NodeId, NodeMeasures> nodes;
};

// An error if no frame of the trace was captured and delivered.
Result<TraceMeasures> measure(const RecordedTrace& trace);

}  // namespace shingle
