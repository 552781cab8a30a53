// Why a real run differs from a simulated one: which node, or which way between two nodes, is
// unlike the simulation says.
//
// A simulation is wrong by a few percent everywhere. So each figure is compared with the same
// figure of the other nodes or ways, which the model's error concerns as well, and with their
// spread:
//
//     difference of a place  -  median of the others        >  4 spreads, and large enough to
//     matter
//
// With fewer than three places there are no others to speak of, and the difference itself counts.
#pragma once

#include <string>
#include <vector>

#include "apps/trace/trace_measures.hpp"

namespace shingle {

struct Cause {
  enum class Kind : uint8_t {
    node_speed,  // size: times slower (below 1: faster)
    link_rate,   // size: times the time per byte
    link_delay,  // size: ms more
    loss,        // size: share of packets that TCP sent again; else, of messages that are late
    credit,      // size: bytes that may be in flight to and from the node
  };
  Kind kind = Kind::node_speed;
  NodeId node;             // of a way: from
  NodeId to;               // of a way
  bool both_ways = false;  // the way back is alike
  double size = 0.0;
  double deviation = 0.0;     // in spreads of the others
  double per_frame_ms = 0.0;  // of work or of waiting, in all frames together, by frame
  double confidence() const;  // 0 to 1

  bool of_way() const { return kind != Kind::node_speed && kind != Kind::credit; }
};
const char* name_of(Cause::Kind kind);     // "node_speed", ...
std::string place_of(const Cause& cause);  // "2", "2:3", "2-3"

// The most certain cause first. Empty: no difference beyond noise.
std::vector<Cause> causes_between(const TraceMeasures& real, const TraceMeasures& simulated);

// For people, and as one JSON object.
std::string diff_text(const TraceMeasures& real, const TraceMeasures& simulated,
                      const std::vector<Cause>& causes);
std::string diff_json(const TraceMeasures& real, const TraceMeasures& simulated,
                      const std::vector<Cause>& causes);

}  // namespace shingle
