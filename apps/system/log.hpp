// The client library writes no log itself. Its notes go to a function that the program gives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace shingle {

enum class LogLevel : uint8_t { info, warning };
// May be called on any thread, by several at once. An empty function drops the note.
using Log = std::function<void(LogLevel, const std::string& note)>;

inline void note_to(const Log& log, LogLevel level, const std::string& note) {
  if (log) log(level, note);
}

}  // namespace shingle
