// The history of all frames of a run, and an independent check of it at the end. The rules share no
// code with the nodes:
//
//   - a frame is captured once, before all its other events
//   - then one of these follows: it is delivered, dropped or aborted, or its owner dies
//   - an owner delivers its frames of one model in order, as long as it lives
//   - an owner that died has no further events before its next life
//
// A frame that was captured and has no end is lost. A frame with two ends was delivered twice, or
// delivered after its owner had reported that it would not come.
#pragma once

#include <string>
#include <vector>

#include "runtime/protocol/message.hpp"

namespace shingle::sim {

struct FrameEvent {
  enum class Kind : uint8_t { captured, delivered, dropped, aborted, owner_died };
  Time at{};
  Kind kind = Kind::captured;
  FrameKey key;            // owner_died: owner and life only; the event ends all their frames
  std::string sentence{};  // dropped, aborted: the reason that the owner reported
  ModelHash model{};       // delivered
};
using History = std::vector<FrameEvent>;

// One sentence for each broken rule, at most twenty. Empty if no rule is broken.
std::vector<std::string> defects(const History& history);

// The number of events of this kind at or after `from`.
size_t count(const History& history, FrameEvent::Kind kind, Time from = {});

}  // namespace shingle::sim
