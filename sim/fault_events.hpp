// Faults of a virtual cluster as events: what happens to a node, or to the wire between two.
#pragma once

#include <cstdint>

#include "partition/base/ids.hpp"

namespace shingle::sim {

struct NodeFault {  // and its end
  enum class Kind : uint8_t {
    crash,
    lose_power,
    abandon,  // for good: nothing mends it any more
    lie,
    restart,
    hang,
    wake,
    slow,
    spoil,
    spoil_borrowed,
    damage_weights,
    break_executor,
    stall,
    resume,
    squeeze,
    relieve,
    speak
  };
  Kind kind;
  NodeId node;
  double factor = 1.0;   // slow: times; spoil: share of the tiles
  uint32_t version = 0;  // speak
};

struct WireFault {  // between two nodes, and its end
  enum class Kind : uint8_t {
    cut,
    mend,
    reset,
    half_open,
    abandon_wire,
    clog,
    unclog,
    corrupt,
    tangle,
    untangle
  };
  Kind kind;
  NodeId node, other;
};

}  // namespace shingle::sim
