#include "apps/simulate/frames_csv.hpp"

#include <cstdio>

namespace shingle {
namespace {

using namespace sim;

const char* name_of(Fate fate) {
  switch (fate) {
    case Fate::delivered:
      return "delivered";
    case Fate::late:
      return "late";
    case Fate::dropped:
      return "dropped";
    case Fate::lost:
      return "lost";
    case Fate::unfinished:
      break;
  }
  return "unfinished";
}

std::string in_ms(Duration time) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6f", in_nanoseconds(time) / 1e6);
  return text;
}

}  // namespace

std::string frames_csv(const std::vector<RunResult>& runs) {
  std::string text = "seed,source,captured_ms,latency_ms,fate\n";
  for (const RunResult& run : runs)
    for (const FrameOutcome& frame : run.frames) {
      const bool ended = frame.fate == Fate::delivered || frame.fate == Fate::late;
      text += std::to_string(run.seed) + "," + std::to_string(frame.source + 1) + "," +
              in_ms(frame.captured - Time{}) + "," +
              (ended ? in_ms(frame.latency) : std::string()) + "," + name_of(frame.fate) + "\n";
    }
  return text;
}

}  // namespace shingle
