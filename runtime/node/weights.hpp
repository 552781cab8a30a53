// Weights: those that this node has packed, and whether they are what was packed. Memory may change
// by itself; only the node can notice that, so it has its own weights looked at.
//
//   sound --- a look finds a change ---> damaged: computes nothing
//     ^                                     |
//     '---------- packed again -------------'   packing that fails is tried again, later each time
//
// What was computed since the last look may be wrong. Memory that fails again and again is packed
// `repairs_tried` times (weights.cpp), and not once more. A repair that fails, for want of memory
// for example, is no such sign.
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
