// Trace: what happened when, in real or virtual time. One format for both, so that traces can be
// compared.
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
};

// What a message or report says about itself: frame, tile, bytes.
// REQUIRES: `kind` is sent or received; `bytes` is not negative.
TraceEvent trace_of_message(TraceEvent::Kind kind, const Message& message, int64_t bytes);
TraceEvent trace_of_report(const Report& report);

// One line for people, e.g.
//   "   12.345 ms  node 1  computed frame 0:3 tile 5 in 1.250 ms"
std::string line_of(const TraceEvent& event);
std::string milliseconds(Duration duration);  // "12.345"

// A hash of a trace, built event by event; the same on every machine.
class TraceHash {
 public:
  void add(const TraceEvent& event);
  uint64_t value() const { return value_; }

 private:
  void add(uint64_t word);
  uint64_t value_ = 0x5348494e474c45;
};

// One event of Chrome's trace event format ("X" with a length, "i" without; Perfetto reads it too):
// a JSON object, time in microseconds, one process per node. A file is an array of them.
std::string chrome_event(const TraceEvent& event);

}  // namespace shingle
