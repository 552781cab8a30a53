// TraceFile: writes what a node does, while it does it, to a file for `shingle trace`, Perfetto and
// chrome://tracing. Twice a second it adds what this machine says of itself: the process's memory,
// and the temperature where the kernel tells it.
#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/protocol/trace_text.hpp"

namespace shingle {

class TraceFile {
 public:
  // The sentence names the file.
  static Result<std::unique_ptr<TraceFile>> create(const std::string& path);

  // Writes what the trace is of. REQUIRES: called once, before the first add().
  void begin(TraceHeader header);
  // Asked twice a second, while events are added: packets that were sent again, by peer.
  void watch(std::function<std::map<NodeId, uint64_t>()> sent_again);
  void add(const TraceEvent& event);  // on any thread
  // Ends the array. An error if anything could not be written. Later events are dropped.
  Status end();

 private:
  explicit TraceFile(std::string path) : path_(std::move(path)), out_(path_, std::ios::trunc) {}
  void add_counters(const TraceEvent& event);  // REQUIRES: mutex_ is locked

  const std::string path_;
  std::mutex mutex_;
  std::ofstream out_;
  TracePrinter printer_;
  std::function<std::map<NodeId, uint64_t>()> sent_again_;
  Time counters_due_ = Time::min();
  bool begun_ = false, ended_ = false;
};

}  // namespace shingle
