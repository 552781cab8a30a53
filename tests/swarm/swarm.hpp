// A random cluster, random plans, random wires and random faults, all from one seed; and the
// verdict.
//
//   0 .................. calm .................................. rest
//   | frames and faults  | all is mended, but for what stays     | every frame has met its fate
//                        | broken for ever; frames go on         |
//
// After each event every node's invariants are checked, each tile's windows are proved by content
// ids (or by real bytes), and at the end the history of every frame is judged (sim/history.hpp).
// A frame may be given up only for a reason that the faults excuse (its owner was started anew and
// not told of its plan, executors were made to fail, memory was short, a storm outlasted all
// attempts), and only where nobody was left to do its work: a machine that nothing had hit from
// well before the frame's capture to its end, within its owner's reach.
// tests/swarm/fault_injector.hpp lists what is drawn. The wires are as TCP's: nothing is reordered,
// doubled or corrupted within a connection; what a real transport finds corrupted ends the
// connection. Some seeds have wires that are worse than that for a while: no node may break then or
// compute or deliver anything wrong, and all must end well once those wires are as TCP's again.
#pragma once

#include "sim/cluster.hpp"
#include "tests/networks/drawn_plans.hpp"

namespace shingle::swarm {

struct Options {
  uint64_t seed = 1;
  uint32_t machines = 0;  // 0: drawn
  bool faults = true;
  bool large = false;        // else one seed in fifty is
  bool first_draws = false;  // what seeds drew before lasting faults, lies and planners' plans came
  networks::DrawnOperators operators = networks::DrawnOperators::first;
  sim::Contents contents = sim::Contents::hash;
  bool keep_trace = false;
};

struct Verdict {
  std::vector<std::string> violations;  // empty: all is well
  size_t core_liveness_violations = 0;  // of them: frames that somebody could have computed
  size_t never_ready = 0;  // frames of plans for homes that were not there when these were proposed
  size_t replans = 0, rotations = 0;
  bool abandoned = false, lied = false;  // faults that last; a member that lies
  bool large = false;
  networks::PlanKinds plans;
  size_t captured = 0, delivered = 0, dropped = 0, aborted = 0, orphaned = 0;
  uint64_t trace_hash = 0, events = 0, stolen = 0, faults = 0;
  Duration virtual_time{};
  std::vector<TraceEvent> trace;
  std::vector<std::string> story;  // what was done to the cluster
};

Verdict run(const Options& options);

}  // namespace shingle::swarm
