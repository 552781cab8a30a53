// Mischief: what befalls the machines of a DriverCluster before the calm, from a seed.
//
//   processes  killed and started again; without power; stopped (SIGSTOP); the driver's thread kept
//              from running, so that its inbox fills
//   slots      slow; stalled; a tile's executor fails; weights damaged
//   loader     packing that takes long, or hangs; an executor that cannot pack; no memory; no room
//              for a further plan; models that cannot be read
//   wires      cut, one way or both; reset; corrupted; a queue that is full after a few messages
//
// All is mended when the calm comes. In some seeds a few machines stay dead, stopped or cut off for
// ever, and there is nothing else: the others are the healthy core, and no frame may be lost.
#pragma once

#include "tests/swarm/driver_cluster.hpp"

namespace shingle::swarm {

inline constexpr Time driver_calm = Time{} + std::chrono::seconds(2);
// From here on nothing may fail: silences have been noticed, lines dialled again, and who was unfit
// has been asked again.
inline constexpr Time driver_settled = driver_calm + std::chrono::seconds(8);

class Mischief {
 public:
  Mischief(DriverCluster& cluster, sim::Random& random) : cluster_(cluster), random_(random) {}

  void strike();
  void strike_for_ever();  // up to half of the machines that own nothing
  void mend_all();

  // Why a frame or a stream may have ended with this sentence; empty: it may not.
  bool excuses(const std::string& sentence) const;
  uint64_t strikes() const { return strikes_; }

 private:
  using Deed = void (Mischief::*)();
  NodeId any();
  void draw_times();
  void between(std::function<void()> first, std::function<void()> then);
  void hurt(bool Nature::*flag);

  void kill();
  void cut_power();
  void freeze();
  void starve();
  void slow();
  void stall();
  void break_executor();
  void damage_weights();
  void pack_slowly();
  void hang_packing();
  void refuse_to_pack();
  void take_memory();
  void squeeze();
  void lose_models();
  void cut();
  void deafen();
  void reset();
  void corrupt();
  void narrow();

  DriverCluster& cluster_;
  sim::Random& random_;
  NodeId victim_, other_;
  Time at_{}, until_{};
  uint64_t strikes_ = 0;
  bool resources_ = false;  // some machine's executor, memory or models failed
};

}  // namespace shingle::swarm
