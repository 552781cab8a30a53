// RecordedTrace: a trace that was read from a file (docs/use/traces.md), as values. The file may be
// hostile: lines, events and numbers have limits, and an error names the file and the line.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/hash.hpp"
#include "runtime/protocol/trace_text.hpp"

namespace shingle {

struct RecordedEvent {
  enum class Kind : uint8_t {
    sent,      // node, peer, what, frame, bytes, ...
    received,  // likewise; peer: from whom
    computed,  // node, frame, tile; `at` is its begin
    captured,  // node (the owner), frame, plan: index into RecordedTrace::plans
    ended,     // node, frame; what: "delivered", or why it was not
    reported,  // node; what
    resent,    // node, peer; bytes: packets so far
  };
  Kind kind = Kind::sent;
  bool lent = false;  // computed for another home
  Time at{};
  Duration length{};  // computed only
  NodeId node, peer;
  FrameKey frame;  // without a life; all zero: of no frame
  TileId tile;
  uint32_t what = 0;  // index into RecordedTrace::names
  int64_t bytes = 0, taken_in_bytes = 0;
  int64_t credit_bytes = -1;  // of a Hello; else -1
  uint64_t flow = 0;          // the same at both ends of a message
  uint32_t plan = 0;
};

struct RecordedPlan {
  PlanHash hash;
  ModelHash model;
  std::string text;  // empty: the trace has captured frames of it, but not the plan
};

struct RecordedTrace {
  enum class Source : uint8_t { node, simulation, merged };
  std::string file;
  Source source = Source::node;
  NodeId node;                 // whose clock; of a node's trace
  std::string model, cluster;  // files, as the header names them; may be empty
  bool whole = true;           // false: it ends within an event, as when its node was killed
  std::vector<std::string> names;
  std::vector<RecordedPlan> plans;
  std::vector<RecordedEvent> events;  // in the order of the file

  const std::string& what(const RecordedEvent& event) const { return names[event.what]; }
};

struct TraceLimits {
  size_t line_bytes = 8 << 20;
  size_t events = 20'000'000;
  size_t names = 1000;
};

// `file` is for errors only.
Result<RecordedTrace> read_trace(std::istream& in, const std::string& file,
                                 const TraceLimits& limits = {});
Result<RecordedTrace> read_trace_file(const std::string& path);

}  // namespace shingle
