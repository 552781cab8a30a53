#include "apps/drone/logs/csv_table.hpp"

#include <algorithm>
#include <cmath>

#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

char separator_of(std::string_view line) {
  const auto count = [&](char letter) { return std::count(line.begin(), line.end(), letter); };
  char best = ',';
  for (const char each : {';', '\t'})
    if (count(each) > count(best)) best = each;
  return best;
}

}  // namespace

CsvTable csv_table_of(std::string_view text) {
  CsvTable table{.lines = lines_of(text)};
  auto& at = table.header_line;
  while (at < table.lines.size() &&
         (trimmed(table.lines[at]).empty() || table.lines[at].starts_with("sep=")))
    ++at;
  if (at == table.lines.size()) return table;
  table.separator = separator_of(table.lines[at]);
  table.header = csv_fields(table.lines[at], table.separator);
  return table;
}

std::vector<std::string> csv_fields(std::string_view line, char separator) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    if (letter == '"' && is_quoted && at + 1 < line.size() && line[at + 1] == '"')
      fields.back() += line[++at];
    else if (letter == '"')
      is_quoted = !is_quoted;
    else if (letter == separator && !is_quoted)
      fields.emplace_back();
    else
      fields.back() += letter;
  }
  for (std::string& field : fields) field = std::string(trimmed(field));
  return fields;
}

std::optional<size_t> column_index(const std::string& column,
                                   const std::vector<std::string>& header) {
  if (column.starts_with('#')) {
    const auto number = number_of(std::string_view(column).substr(1));
    if (!number || *number < 1.0 || *number > static_cast<double>(header.size()) ||
        *number != std::floor(*number))
      return std::nullopt;
    return static_cast<size_t>(*number) - 1;
  }
  const auto found = std::find(header.begin(), header.end(), column);
  if (found == header.end()) return std::nullopt;
  return static_cast<size_t>(found - header.begin());
}

std::string column_names(const CsvTable& table) {
  std::string text;
  for (const std::string& name : table.header) text += (text.empty() ? "" : ", ") + name;
  return readable(text, 400);
}

}  // namespace shingle::drone
