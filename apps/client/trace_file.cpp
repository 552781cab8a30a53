#include "apps/client/trace_file.hpp"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/system/process_memory.hpp"

namespace shingle {

namespace {

constexpr Duration counters_every = std::chrono::milliseconds(500);
constexpr const char* thermal_file = "/sys/class/thermal/thermal_zone0/temp";  // thousandths

std::string absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(path, failed);
  return failed || path.empty() ? path : whole.lexically_normal().string();
}

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::string& path) {
  std::unique_ptr<TraceFile> file(new TraceFile(path));
  if (!file->out_)
    return usage_error("cannot write the trace '" + path + "': " + std::strerror(errno));
  return file;
}

void TraceFile::begin(TraceHeader header) {
  const std::lock_guard lock(mutex_);
  assert(!std::exchange(begun_, true));
  header.model = absolute(header.model);
  header.cluster = absolute(header.cluster);
  out_ << TracePrinter::begin(header);
}

void TraceFile::watch(std::function<std::map<NodeId, uint64_t>()> sent_again) {
  const std::lock_guard lock(mutex_);
  sent_again_ = std::move(sent_again);
}

void TraceFile::add(const TraceEvent& event) {
  const std::lock_guard lock(mutex_);
  assert(begun_);
  if (ended_) return;
  if (event.at >= counters_due_) add_counters(event);
  out_ << printer_.lines(event);
}

void TraceFile::add_counters(const TraceEvent& event) {
  counters_due_ = event.at + counters_every;
  TraceEvent count;
  count.kind = TraceEvent::Kind::counted;
  count.at = event.at;
  count.node = event.node;
  count.what = "memory (bytes)";
  count.value = static_cast<double>(resident_bytes());
  out_ << printer_.lines(count);
  std::ifstream thermal(thermal_file);
  if (double thousandths = 0.0; thermal >> thousandths) {
    count.what = "temperature (degC)";
    count.value = thousandths / 1000.0;
    out_ << printer_.lines(count);
  }
  if (!sent_again_) return;
  count.kind = TraceEvent::Kind::resent;
  for (const auto& [peer, packets] : sent_again_()) {
    count.peer = peer;
    count.value = static_cast<double>(packets);
    out_ << printer_.lines(count);
  }
}

Status TraceFile::end() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true)) return success();
  out_ << (begun_ ? TracePrinter::end() : "[]\n");
  out_.close();
  if (!out_) return Error{"the trace '" + path_ + "' could not be written to its end"};
  return success();
}

}  // namespace shingle
