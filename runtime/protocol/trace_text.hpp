// TracePrinter: prints what nodes do in Chrome's trace event format, for chrome://tracing, Perfetto
// and `shingle trace`. Real and virtual runs use it. docs/use/traces.md explains each field.
//
//   [
//   {"name":"shingle_trace","ph":"M",...}    what the trace is of
//   {"name":"process_name","ph":"M",...}     before the first event of a node
//   {"name":"thread_name","ph":"M",...}      before the first event of a thread
//   {"name":"tile 5","ph":"X",...}           one event in each line
//   ]
//
// One line holds one event, so a reader needs to keep one line only, and what a killed node leaves
// behind can be read to its last full line.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/protocol/trace.hpp"

namespace shingle {

inline constexpr int trace_schema = 1;

// What a trace is of; stands in its first event.
struct TraceHeader {
  enum class Source : uint8_t { node, simulation };
  Source source = Source::node;
  NodeId node;          // whose clock: of a node's trace
  std::string program;  // name and version
  std::string model;    // its file, as it was given; empty: not known
  std::string cluster;  // likewise
  std::string facts{};  // further provenance: the inside of a JSON object, or empty
};

class TracePrinter {
 public:
  // The text before the first event.
  static std::string begin(const TraceHeader& header);
  // The lines of one event. REQUIRES: events of one node come in the order of their times.
  std::string lines(const TraceEvent& event);
  // The text after the last event.
  static std::string end() { return "\n]\n"; }

 private:
  struct Link {  // of a node, to a peer or from it
    uint32_t session = 0;
    uint64_t messages = 0;  // in this session
  };
  struct Credit {  // of a node, towards a peer
    int64_t sent_bytes = 0, taken_in_bytes = 0, shown_bytes = -1;
  };
  struct Process {
    std::set<uint64_t> threads;
    std::vector<Time> slots;  // until when each is busy
    std::map<NodeId, Link> to, from;
    std::map<NodeId, Credit> credits;
    std::pair<uint32_t, uint32_t> queue{0, 0};
    std::set<FrameKey> open_frames;
  };
  Process& process(NodeId node, std::string& out);
  uint64_t slot_for(Process& process, Time begin, Time end);
  uint64_t flow_of(Process& process, const TraceEvent& event);
  void print_message(Process& process, const TraceEvent& event, std::string& out);
  void print_credit(Process& process, const TraceEvent& event, std::string& out);
  void print_queue(Process& process, const TraceEvent& event, std::string& out);
  void print_tile(Process& process, const TraceEvent& event, std::string& out);
  void print_frame(Process& process, const TraceEvent& event, bool begins, std::string& out);
  void print_instant(Process& process, const TraceEvent& event, std::string& out);
  void name_thread(Process& process, const TraceEvent& event, uint64_t thread,
                   const std::string& name, std::string& out);

  std::map<NodeId, Process> processes_;
};

// A whole trace. REQUIRES: events of one node come in the order of their times.
std::string print_trace(const TraceHeader& header, const std::vector<TraceEvent>& events);

std::string in_json_quotes(const std::string& text);

}  // namespace shingle
