// Runs a cluster of whole processes for each seed, in virtual time and one thread at a time, and
// gives a verdict. Of each process all of this is real: Driver, Inbox, Outbox, compute slots,
// loader, canvases, codec and the owner's logic.
//
//   0 ............... calm ................ settled ............... end
//   | frames, replans | faults are over, or | nothing may fail from | all frames have ended,
//   | and faults      | last for ever       | here on               | everything is closed
//
// The verdict checks:
//   - delivered frames equal those of one machine, bit for bit, in order, each exactly once
//   - a frame or a stream fails only for a reason that a fault excuses
//   - frames of a living owner with a healthy core end within a fixed time
//   - no sound node says that it hangs, even while it packs
//   - all invariants of the nodes hold after each event
//   - no canvas is left after the last frame
//   - the number of plans that a node holds is bounded, after any number of replans
//   - no model, plan or executor is left after the last process has ended
#pragma once

#include <string>
#include <vector>

#include "partition/base/time.hpp"

namespace shingle::swarm {

struct DriverOptionsOfRun {
  uint64_t seed = 1;
  bool mischief = true;
  bool spoils = false;  // all executors compute wrong results: the verdict must say so
};

struct DriverVerdict {
  std::vector<std::string> violations;  // empty: all is well
  size_t captured = 0, delivered = 0, ended_otherwise = 0, died = 0, ended_streams = 0;
  uint64_t strikes = 0, switches = 0, lives = 0, lost_connections = 0, refused_messages = 0;
  uint64_t hash = 0, events = 0;
  bool has_core = false;                     // some machines failed for ever, the others were sound
  Duration virtual_time{}, longest_delay{};  // longest_delay: of a frame after the faults
};

DriverVerdict run_drivers(const DriverOptionsOfRun& options);

}  // namespace shingle::swarm
