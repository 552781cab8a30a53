// Progress: one line on stderr that is redrawn as work goes on. Nothing is drawn if stderr is no
// terminal.
//
//   [=============>                ]  163/377 frames  12.4 frames/s  17 s left
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace shingle {

class Progress {
 public:
  // `what` names the things counted. REQUIRES: it outlives this object.
  Progress(std::optional<uint64_t> total, bool shown, const char* what = "frames");
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void done(uint64_t count);  // `count` in total so far; draws at most ten times a second
  void clear();               // call it before something else is written to the terminal

 private:
  std::optional<uint64_t> total_;
  bool shown_, drawn_ = false;
  const char* what_;
  std::chrono::steady_clock::time_point start_, last_;
};

// The text of the line, `elapsed` after the start. Without a total it has no bar.
std::string progress_line(uint64_t done, std::optional<uint64_t> total,
                          std::chrono::duration<double> elapsed, const char* what = "frames");

bool stderr_is_terminal();

}  // namespace shingle
