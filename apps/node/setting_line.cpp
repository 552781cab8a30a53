#include "apps/node/setting_line.hpp"

namespace shingle {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool sets(std::string_view line, std::string_view name) {
  const size_t equals = line.find('=');
  return equals != std::string_view::npos && trimmed(line.substr(0, equals)) == name;
}

// From the blanks before the comment on; a # within quotes begins none.
std::string_view comment_of(std::string_view line) {
  bool is_quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) is_quoted = !is_quoted;
    if (line[i] != '#' || is_quoted) continue;
    const size_t last = line.substr(0, i).find_last_not_of(blanks);
    return line.substr(last == std::string_view::npos ? 0 : last + 1);
  }
  return {};
}

}  // namespace

std::string with_setting(std::string_view text, std::string_view name, std::string_view value) {
  std::string changed;
  bool is_set = false;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (is_set || !sets(line, name)) {
      changed.append(line).append("\n");
      continue;
    }
    changed.append(name).append(" = ").append(value).append(comment_of(line)).append("\n");
    is_set = true;
  }
  if (!is_set) changed.append(name).append(" = ").append(value).append("\n");
  return changed;
}

}  // namespace shingle
