// Where the client library's notes go: to a function that whoever uses it gives. It logs by itself
// nowhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace shingle {

enum class LogLevel : uint8_t { info, warning };
// Called on any thread, and by several at once. An empty one drops the note.
using Log = std::function<void(LogLevel, const std::string& note)>;

inline void note_to(const Log& log, LogLevel level, const std::string& note) {
  if (log) log(level, note);
}

}  // namespace shingle
