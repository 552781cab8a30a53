// StreamEvents: what a session has for one stream, in order: outputs of its frames, and reports.
// The driver's thread adds, the stream's thread takes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "partition/base/time.hpp"
#include "runtime/protocol/report.hpp"

namespace shingle {

class StreamEvents {
 public:
  struct Arrival {
    FrameKey key;
    std::vector<std::vector<std::byte>> outputs;  // by output of the model
    Time at;
  };
  using Event = std::variant<Arrival, Report>;

  void add(Event event);
  // The next event; none if none came until then. `until`: of the machine's steady clock.
  std::optional<Event> wait(Time until);
  bool empty() const;
  // Is the next event there, and a report?
  bool has_report_next() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;  // a stream takes them even while it has no frame under way
};

}  // namespace shingle
