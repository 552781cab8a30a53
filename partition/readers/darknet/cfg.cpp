#include "partition/readers/darknet/cfg.hpp"

#include "partition/base/text.hpp"

namespace shingle::darknet {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

Error at_line(int32_t line, const std::string& what) {
  return Error{"line " + std::to_string(line) + " " + what};
}

std::string_view without_comment(std::string_view line) {
  if (line.starts_with(';')) return {};
  return trimmed(line.substr(0, line.find('#')));
}

// Reads one line that is neither empty nor a comment.
Status take(std::string_view line, int32_t number, std::vector<CfgSection>& sections) {
  if (line.starts_with('[')) {
    if (!line.ends_with(']')) {
      return at_line(number, "begins a section and does not end in ']': " + in_quotes(line));
    }
    sections.push_back(
        {.kind = trimmed(line.substr(1, line.size() - 2)), .line = number, .options = {}});
    return success();
  }
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return at_line(number, "is neither a [section] nor an option=value: " + in_quotes(line));
  }
  if (sections.empty()) {
    return at_line(number, "stands before the first section; a .cfg begins with [net]");
  }
  sections.back().options.push_back(
      {.key = trimmed(line.substr(0, equals)), .value = trimmed(line.substr(equals + 1))});
  return success();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\v\f";
  const size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

Result<std::vector<CfgSection>> parse_cfg(std::string_view text, const DarknetLimits& limits) {
  if (text.size() > limits.max_cfg_bytes) {
    return Error{"it is " + std::to_string(text.size()) +
                 " bytes long, and shingle reads a .cfg of " +
                 std::to_string(limits.max_cfg_bytes) + " at most"};
  }
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<CfgSection> sections;
  for (int32_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find('\0') != std::string_view::npos) {
      return at_line(number, "holds a NUL byte; a .cfg is plain text");
    }
    const std::string_view content = without_comment(trimmed(line));
    if (content.empty()) continue;
    const Status taken = take(content, number, sections);
    if (!taken) return taken.failure();
    if (sections.size() > limits.max_sections) {
      return at_line(number, "begins section " + std::to_string(sections.size()) +
                                 ", and shingle reads " + std::to_string(limits.max_sections) +
                                 " at most");
    }
  }
  return sections;
}

}  // namespace shingle::darknet
