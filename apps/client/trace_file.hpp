// TraceFile: writes what a node does, while it does it, to a file for chrome://tracing and
// Perfetto.
#pragma once

#include <fstream>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/protocol/trace.hpp"

namespace shingle {

class TraceFile {
 public:
  // The sentence names the file.
  static Result<std::unique_ptr<TraceFile>> create(const std::string& path);

  void add(const TraceEvent& event);  // on any thread
  // Ends the array. An error if anything could not be written. Later events are dropped.
  Status end();

 private:
  explicit TraceFile(std::string path) : path_(std::move(path)), out_(path_, std::ios::trunc) {}

  const std::string path_;
  std::mutex mutex_;
  std::ofstream out_;
  bool first_ = true, ended_ = false;
};

}  // namespace shingle
