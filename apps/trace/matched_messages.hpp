// Messages of which a trace, or several traces, have both ends.
#pragma once

#include <span>

#include "apps/trace/recorded_trace.hpp"

namespace shingle {

struct MatchedMessage {
  NodeId from, to;
  Time sent{}, received{};  // each on the clock of its trace
  FrameKey frame;
  TileId tile;
  int64_t bytes = 0;  // of a piece's payload; 0: another message
};

// In the order of their arrivals in the files. Ends that differ in anything but the time are no
// match.
std::vector<MatchedMessage> matched_messages(std::span<const RecordedTrace> traces);

}  // namespace shingle
