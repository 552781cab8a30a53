#include "apps/client/trace_file.hpp"

#include <cerrno>
#include <cstring>

namespace shingle {

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::string& path) {
  std::unique_ptr<TraceFile> file(new TraceFile(path));
  if (!file->out_)
    return usage_error("cannot write the trace '" + path + "': " + std::strerror(errno));
  file->out_ << "[";
  return file;
}

void TraceFile::add(const TraceEvent& event) {
  const std::string text = chrome_event(event);
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  out_ << (first_ ? "\n" : ",\n") << text;
  first_ = false;
}

Status TraceFile::end() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true)) return success();
  out_ << "\n]\n";
  out_.close();
  if (!out_) return Error{"the trace '" + path_ + "' could not be written to its end"};
  return success();
}

}  // namespace shingle
