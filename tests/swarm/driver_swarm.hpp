// Whole clusters of whole processes, one from each seed: the real Driver, Inbox, Outbox, compute
// slots, loader and canvases of every node, the codec and the owner's logic, in virtual time and
// one thread at a time; and the verdict.
//
//   0 ............... calm ................ settled ............... end
//   | frames, replans | all is mended, or   | nothing may fail from | every frame has met its fate,
//   | and mischief    | stays as it is      | here on               | everything is closed
//
// Judged: what is delivered is what one machine computes, bit for bit, in order, exactly once; a
// frame or a stream ends otherwise only for a reason that the mischief excuses; frames of a living
// owner with a healthy core end within a bound; nobody who is well says that it hangs, because it
// packs or otherwise; every node's invariants after every event; no canvas is left when the frames
// are done, plans held are bounded after any number of replans, and no model, plan or executor is
// left when all processes have ended.
#pragma once

#include <string>
#include <vector>

#include "partition/base/time.hpp"

namespace shingle::swarm {

struct DriverOptionsOfRun {
  uint64_t seed = 1;
  bool mischief = true;
  bool spoils = false;  // every executor: the verdict must say so
};

struct DriverVerdict {
  std::vector<std::string> violations;  // empty: all is well
  size_t captured = 0, delivered = 0, ended_otherwise = 0, died = 0, ended_streams = 0;
  uint64_t strikes = 0, switches = 0, lives = 0, lost_connections = 0, refused_messages = 0;
  uint64_t hash = 0, events = 0;
  bool has_core = false;                     // some machines were gone for good
  Duration virtual_time{}, longest_delay{};  // the latter: of a frame, once all was mended
};

DriverVerdict run_drivers(const DriverOptionsOfRun& options);

}  // namespace shingle::swarm
