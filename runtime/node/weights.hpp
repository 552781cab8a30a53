// Weights: whether the weights in this node's memory are still what was packed. Memory can change
// by a fault, and no other node can notice it, so the node checks its own weights.
//
//   sound --- a look finds a change ---> damaged: computes nothing
//     ^                                     |
//     '---------- packed again -------------'   packing that fails is tried again, later each time
//
// What was computed since the last look may be wrong. Weights that change again and again are
// packed again `repairs_tried` times at most (weights.cpp). A repair that fails does not count,
// because it may have failed for want of memory.
#pragma once

#include "runtime/node/effects.hpp"
#include "runtime/node/owner/answer.hpp"

namespace shingle {

class Weights {
 public:
  // REQUIRES: all outlive me.
  Weights(const NodeConfig& config, const Peers& peers, Effects& effects);

  bool damaged() const { return !damage_.empty(); }
  const std::string& damage() const { return damage_; }  // one sentence; empty: sound
  bool may_be_sound_soon() const { return packing_ || lacks_memory_; }

  // To whoever would count on this node. REQUIRES: damaged().
  PlanReady refusal(const PlanHash& plan) const;
  Answer::Kind answer_kind() const;  // as an owner's own answer. REQUIRES: damaged().

  void look();  // with every beat: has a part looked at, or has them packed again if it is time
  bool damaged_by(const std::string& why);  // reports it. False: they were damaged already
  void repair();                            // if that is still tried. REQUIRES: damaged()
  enum class Packed : uint8_t { not_asked, sound, still_damaged };
  Packed packed(const PackedAgain& event);

 private:
  void pack();

  const NodeConfig& config_;
  const Peers& peers_;
  Effects& effects_;
  std::string damage_;             // empty: none
  bool packing_ = false;           // again
  bool lacks_memory_ = false;      // to pack them, for now
  uint32_t repairs_ = 0;           // begun, in this life
  uint32_t pack_failures_ = 0;     // one after the other
  std::optional<Time> pack_at_;    // the next attempt, after one that failed
  std::optional<Time> looked_at_;  // none: never
};

}  // namespace shingle
