// One clock for the traces of real nodes.
//
// Each pair of nodes that exchanged messages gives a line between their clocks (clock_line.hpp). A
// tree of the pairs with the narrowest corridors connects all nodes to the first one, so a link
// that is slow one way, whose line would be wrong, is left out where there is another way.
#pragma once

#include <span>
#include <vector>

#include "apps/trace/recorded_trace.hpp"

namespace shingle {

struct NodeClockFit {
  NodeId node, through;    // the neighbour in the tree; of the first node, itself
  Time base{};             // of this node's own clock; offset and drift are from there on
  double offset_ns = 0.0;  // the node's clock minus the reference's, at `base`
  double drift = 0.0;      // the node's clock gains so much; 1e-6 is 1 ppm
  double error_ns = 0.0;   // bound, if drifts are constant
  Time on_reference(Time local) const;
};

// In the order of the traces. The reference is the clock of the first trace. An error names the
// trace that shares no message with the others. REQUIRES: at least one trace; each of another node.
Result<std::vector<NodeClockFit>> align_clocks(std::span<const RecordedTrace> traces);

}  // namespace shingle
