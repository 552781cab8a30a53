// What became of every frame, written down as it happens and judged at the end by rules that share
// no code with what they judge:
//
//   - a frame is captured once, before anything else happens to it
//   - then exactly one of: delivered, dropped, aborted, or its owner died
//   - one life of an owner delivers its frames of one model in their order
//   - nothing follows an owner's death but its next life
//
// A frame that was captured and met no fate is lost; one that met two was delivered twice, or
// delivered after its owner had said that it would not come.
#pragma once

#include <string>
#include <vector>

#include "runtime/protocol/message.hpp"

namespace shingle::sim {

struct FrameEvent {
  enum class Kind : uint8_t { captured, delivered, dropped, aborted, owner_died };
  Time at{};
  Kind kind = Kind::captured;
  FrameKey key;            // owner_died: of all frames of this owner's life
  std::string sentence{};  // what the owner said of it
  ModelHash model{};       // delivered: by which
};
using History = std::vector<FrameEvent>;

// One sentence for each broken rule, the first twenty; empty: all is well.
std::vector<std::string> defects(const History& history);

size_t count(const History& history, FrameEvent::Kind kind, Time from = {});

}  // namespace shingle::sim
