// Trace: what happened when, in real or virtual time, as values. trace_text.hpp prints them: one
// format for both, so that traces can be compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/protocol/event.hpp"

namespace shingle {

struct TraceEvent {
  enum class Kind : uint8_t {
    sent,       // what: the message; peer: to whom
    received,   // what: the message; peer: from whom
    computed,   // ends at `at`, took `length`
    delivered,  // a frame, at its owner
    reported,   // report: its kind; what: the kind's name; sentence
    failed,     // an invariant was broken: sentence
    captured,   // a frame, at its owner; plan
    planned,    // plan, model; sentence: the plan's text. An owner begins to use it
    counted,    // what: a counter's name with its unit; value
    resent,     // peer; value: packets that TCP sent again to it, since the connection began
  };
  Time at{};
  Duration length{};
  Kind kind = Kind::sent;
  NodeId node;
  NodeId peer;
  FrameKey key;
  TileId tile;
  int64_t bytes = 0;
  const char* what = "";  // of static storage
  std::string sentence;
  Report::Kind report = Report::Kind::plan_ready;  // reported only

  // What TraceHash leaves out: it follows from the rest of a run.
  Place place = Place::home;                    // computed
  PlanHash plan{};                              // captured, planned
  ModelHash model{};                            // planned
  Piece::Role role = Piece::Role::promised;     // pieces
  uint32_t index = 0;                           // pieces; of a Hello: the sender's session
  int64_t credit_bytes = 0;                     // of a Hello
  uint32_t ready_tiles = 0, running_tiles = 0;  // sent, received: at the sender
  uint64_t taken_in_bytes = 0;                  // sent, received: Envelope::pasted_bytes
  double value = 0.0;                           // counted, resent
};

// What a message or report says about itself: frame, tile, bytes.
// REQUIRES: `kind` is sent or received; `bytes` is not negative.
TraceEvent trace_of_message(TraceEvent::Kind kind, const Message& message, int64_t bytes);
// The same, with what the envelope says. `peer`: to whom, or from whom.
TraceEvent trace_of_message(TraceEvent::Kind kind, NodeId peer, const Envelope& envelope,
                            const Message& message, int64_t bytes);
TraceEvent trace_of_report(const Report& report);
TraceEvent trace_of_capture(const FrameKey& key, const PlanHash& plan);
TraceEvent trace_of_proposal(const PlanProposed& proposal);
TraceEvent trace_of_tile(const TileComputed& computed);

// One line for people, e.g.
//   "   12.345 ms  node 1  computed frame 0:3 tile 5 in 1.250 ms"
std::string line_of(const TraceEvent& event);
std::string milliseconds(Duration duration);  // "12.345"
std::string frame_name(const FrameKey& key);  // "0:3", "0:3 attempt 1"

// A hash of a trace, built event by event; the same on every machine.
class TraceHash {
 public:
  void add(const TraceEvent& event);
  uint64_t value() const { return value_; }

 private:
  void add(uint64_t word);
  uint64_t value_ = 0x5348494e474c45;
};

}  // namespace shingle
