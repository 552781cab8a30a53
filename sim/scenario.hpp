// Scenario: a text file that describes a virtual cluster and what happens to it, followed by the
// exact transcript that the run must print.
//
//     # Two nodes that exchange halos.
//     link latency 1ms rate 1MB/s
//     node 0 gflops 0.01
//     node 1 gflops 0.01
//     model 16x16x1 conv3:4 conv3:4
//     plan halves homes 0 1 grid 2x1 cut 0
//     propose 0 halves at 0ms
//     frames 0 halves count 2 every 10ms from 5ms
//     show computes
//     =====
//          12.345 ms  node 1  computed frame 0:1 tile 1 in 1.843 ms
//     ...
//
// Commands, one a line; `#` begins a comment:
//   seed N                                     until DURATION (10s)
//   link [latency D] [rate R] [loss P] [retransmission D]
//   limits [open N] [waiting N] [drop oldest|newest] [slots N] [plans N] [credit BYTES] [keep N]
//          [silence D] [answer D] [weights D] [steal on|off]  for the nodes in lines below
//   node ID [gflops X] [slots N] [name WORD] [rate R] [models no]
//   model HxWxC LAYER...                       convK:CHANNELS[sSTRIDE], poolK
//   plan NAME homes ID... [grid RxC] [cut LAYER...]
//   propose|withdraw OWNER PLAN at D
//   frames OWNER PLAN count N every D from D [deadline D]
//   crash|restart|hang|wake|break|damage|stall|resume NODE at D
//   slow NODE by FACTOR at D
//   cut|mend NODE NODE at D
//   show [computes] [messages] [pieces]        in addition to reports and deliveries
// Durations: us, ms, s. Rates: kB/s, MB/s.
#pragma once

#include <string>
#include <string_view>

#include "partition/base/result.hpp"
#include "runtime/protocol/trace.hpp"

namespace shingle::sim {

struct Transcript {
  std::string text;
  std::vector<TraceEvent> trace;  // also the events that `text` does not show
  uint64_t trace_hash = 0;
  bool sound = true;  // no breach
};

// Runs the commands before the line "=====". The error names the line.
Result<Transcript> run_scenario(std::string_view text);

// The first part of a scenario file: the commands and the line "=====". The expected transcript
// follows.
std::string_view script_of(std::string_view file);

}  // namespace shingle::sim
