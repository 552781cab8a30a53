#include "apps/drone/logs/srt_cues.hpp"

#include <algorithm>

#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

bool is_cue_number(std::string_view line) {
  line = trimmed(line);
  return !line.empty() && std::all_of(line.begin(), line.end(), is_digit);
}

// "00:01:02,345"; a point in place of the comma is common.
std::optional<double> take_stream_time(std::string_view& text) {
  double seconds = 0.0;
  for (const char separator : {':', ':', '\0'}) {
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    double part = 0.0;
    for (; !text.empty() && is_digit(text.front()) && part < 1e6; text.remove_prefix(1))
      part = 10.0 * part + (text.front() - '0');
    seconds = 60.0 * seconds + part;
    if (separator == '\0') break;
    if (!text.starts_with(separator)) return std::nullopt;
    text.remove_prefix(1);
  }
  double worth = 0.1;
  if (!text.empty() && (text.front() == ',' || text.front() == '.'))
    for (text.remove_prefix(1); !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
      seconds += worth * (text.front() - '0');
      worth /= 10.0;
    }
  return seconds;
}

bool has_date(std::string_view line) {
  line = trimmed(line);
  return take_date_time(line).has_value();
}

// A cue begins with its number, and behind that its times, or in Mavic 2's dialect its date.
bool begins_cue(const std::vector<std::string_view>& lines, size_t at) {
  return at + 1 < lines.size() && is_cue_number(lines[at]) &&
         (lines[at + 1].find("-->") != std::string_view::npos || has_date(lines[at + 1]));
}

Status read_times(std::string_view line, const std::string& name, SrtCue& cue) {
  const size_t arrow = line.find("-->");
  std::string_view begin = trimmed(line.substr(0, arrow)), end = trimmed(line.substr(arrow + 3));
  cue.begin = take_stream_time(begin);
  cue.end = take_stream_time(end);
  if (cue.begin && cue.end) return success();
  return bad_input(in_quotes(name) + " line " + std::to_string(cue.line + 1) + " has the times " +
                   in_quotes(line) + "; they are written as 00:00:01,000 --> 00:00:02,000");
}

}  // namespace

bool is_srt(std::string_view bytes) {
  const auto lines = lines_of(bytes.substr(0, 4096));
  for (size_t at = 0; at < lines.size(); ++at)
    if (!trimmed(lines[at]).empty()) return begins_cue(lines, at);
  return false;
}

Result<std::vector<SrtCue>> srt_cues(std::string_view text, const std::string& name) {
  const auto lines = lines_of(text);
  std::vector<SrtCue> cues;
  for (size_t at = 0; at < lines.size(); ++at) {
    if (begins_cue(lines, at)) {
      cues.push_back({.line = at + 1});
      if (lines[at + 1].find("-->") == std::string_view::npos) continue;
      const Status read = read_times(lines[++at], name, cues.back());
      if (!read) return read.failure();
    } else if (!cues.empty()) {
      (cues.back().text += lines[at]) += '\n';
    }
  }
  return cues;
}

}  // namespace shingle::drone
