// What a simulated run was like, as values.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/ids.hpp"
#include "partition/base/time.hpp"

namespace shingle::sim {

// What a frame waited for, on the path that decided when it was delivered. At each moment it is one
// of these, so they add up to the frame's latency.
enum class Cause : uint8_t {
  room,      // in the stream: as many frames as allowed are under way
  slot,      // for all homes of the plan to take the frame
  compute,   // a tile is computed, or others of this frame before it on its node
  core,      // a tile is ready, and its node computes those of other frames
  wire,      // a message is on the wire, as long as it takes alone
  traffic,   // the same, beyond that: other messages share the wire
  credit,    // a message has to be sent, and too much is under way to its receiver
  order,     // all outputs are there, an earlier frame is not delivered yet
  recovery,  // it was begun again after a fault, or takes a stand-in and is not computed
};
inline constexpr size_t causes = 9;
const char* name_of(Cause cause);  // "room", ...
using CauseTimes = std::array<Duration, causes>;

enum class Fate : uint8_t {
  delivered,
  late,        // its deadline passed
  dropped,     // no room at its source
  lost,        // its owner died or hung, or the nodes gave it up
  unfinished,  // at the end of the run
};

struct FrameOutcome {
  size_t source = 0;
  Time captured{};     // since the start of the experiment
  Duration latency{};  // delivered and late only: from capture
  Fate fate = Fate::unfinished;
  CauseTimes causes{};  // delivered only
};

struct NodeUse {
  NodeId node;
  Duration busy{};  // of its slots together
  int32_t slots = 1;
  uint64_t tiles = 0, stolen_tiles = 0;  // computed; of these for another home
  int64_t sent_bytes = 0, received_bytes = 0;
  int64_t peak_bytes = 0;  // canvases, and the weights of its tiles
  double joules = 0.0;
  double celsius = 0.0;  // of its board, at the end; 0: not known
};

struct LinkUse {
  NodeId from, to;
  int64_t bytes = 0;
  uint64_t messages = 0;
  Duration busy{};  // at least one message under way
};

// One direction of a port or trunk, a medium, or the air of a cell.
struct WireUse {
  std::string name;
  int64_t bytes = 0;  // headers included, acknowledgements not; air: each crossing
  Duration busy{};    // something takes it
};

// For drawing: who did what from when to when.
struct WorkSpan {
  enum class Kind : uint8_t { compute, message };
  Kind kind = Kind::compute;
  bool lent = false;      // compute: for another home
  NodeId node{}, peer{};  // message: from, to
  uint64_t frame = 0;
  NodeId owner{};
  Time begin{}, end{};
};

struct FlowOutcome {
  NodeId from, to;
  int64_t bytes = 0;
  std::optional<Duration> took{};  // none: it did not end
};

// Of one frame alone: what the nodes take while idle until it is done, and what its work adds.
struct FrameEnergy {
  double idle = 0.0, active = 0.0;  // J
};

struct RunResult {
  uint64_t seed = 0;
  std::string simulator{};             // of its packets: "shingle-ns3 3.37"; empty: fluid model
  Duration measured{};                 // without the warm-up
  std::vector<FrameOutcome> frames{};  // captured in that time, by capture
  std::vector<size_t> delivered{};     // in that time, by source
  std::vector<NodeUse> nodes{};        // in that time, ascending
  std::vector<LinkUse> links{};        // those that carried payload, ascending
  std::vector<WireUse> wires{};        // in that time; none where packets are simulated
  std::vector<FlowOutcome> flows{};
  std::optional<FrameEnergy> frame_energy{};  // of DeepThings' scheme only
  uint64_t switches = 0, searches = 0;
  std::vector<WorkSpan> spans{};        // only where asked for
  std::vector<std::string> events{};    // what people should know: "8.4 s: node 2 is lost"
  std::vector<std::string> breaches{};  // of what must hold: then no figure counts
  uint64_t trace_hash = 0, steps = 0;
};

}  // namespace shingle::sim
