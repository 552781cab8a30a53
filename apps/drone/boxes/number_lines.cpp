#include "apps/drone/boxes/number_lines.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

// A separator is a comma with any blanks around it, or blanks alone.
std::vector<std::string_view> fields_of(std::string_view line, size_t most) {
  std::vector<std::string_view> fields;
  size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < line.size() && is_blank(line[at])) ++at;
  };
  for (skip_blanks(); at < line.size() && fields.size() < most; skip_blanks()) {
    const size_t begin = at;
    while (at < line.size() && line[at] != ',' && !is_blank(line[at])) ++at;
    fields.push_back(line.substr(begin, at - begin));
    skip_blanks();
    if (at < line.size() && line[at] == ',') ++at;
  }
  return fields;
}

}  // namespace

Result<std::vector<NumberLine>> read_number_lines(std::string_view text,
                                                  const NumberLineFormat& format) {
  std::vector<NumberLine> lines;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const auto fields = fields_of(text.substr(0, end), format.read);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (fields.empty()) continue;
    if (fields.size() < format.least)
      return bad_line(format.name, number,
                      "has " + std::to_string(fields.size()) +
                          (fields.size() == 1 ? " field; " : " fields; ") + format.meaning);
    NumberLine line{.number = number, .values = {}};
    for (const std::string_view field : fields) {
      const auto value = finite_number(field);
      if (!value)
        return bad_line(format.name, number,
                        "field " + std::to_string(line.values.size() + 1) + " is " +
                            in_quotes(field) + ", not a number");
      line.values.push_back(*value);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

Error bad_line(const std::string& name, size_t line, const std::string& what) {
  return bad_input(in_quotes(name) + " line " + std::to_string(line) + " " + what);
}

bool is_whole(double value) { return value == std::floor(value) && std::abs(value) <= 9e15; }

std::string as_written(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace shingle::drone
