#include "apps/system/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace shingle {
namespace {

constexpr uint64_t bar_width = 30;
constexpr std::chrono::milliseconds redraw_every{100};

std::string bar(uint64_t done, uint64_t total) {
  const uint64_t filled = std::min(bar_width, done * bar_width / std::max<uint64_t>(total, 1));
  std::string text(filled, '=');
  if (filled < bar_width) text += '>' + std::string(bar_width - filled - 1, ' ');
  return "[" + text + "]  ";
}

}  // namespace

std::string progress_line(uint64_t done, std::optional<uint64_t> total,
                          std::chrono::duration<double> elapsed, const char* what) {
  const double rate = elapsed.count() > 0.0 ? static_cast<double>(done) / elapsed.count() : 0.0;
  char text[160];
  if (!total) {
    std::snprintf(text, sizeof text, "%llu %s  %.1f %s/s", static_cast<unsigned long long>(done),
                  what, rate, what);
    return text;
  }
  const double left =
      rate > 0.0 ? static_cast<double>(*total - std::min(done, *total)) / rate : 0.0;
  std::snprintf(text, sizeof text, "%llu/%llu %s  %.1f %s/s  %.0f s left",
                static_cast<unsigned long long>(done), static_cast<unsigned long long>(*total),
                what, rate, what, left);
  return bar(done, *total) + text;
}

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

Progress::Progress(std::optional<uint64_t> total, bool shown, const char* what)
    : total_(total), shown_(shown), what_(what), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::done(uint64_t count) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || (drawn_ && now - last_ < redraw_every)) return;
  last_ = now;
  drawn_ = true;
  std::fprintf(stderr, "\r\033[K%s", progress_line(count, total_, now - start_, what_).c_str());
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace shingle
