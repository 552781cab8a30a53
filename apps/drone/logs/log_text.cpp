#include "apps/drone/logs/log_text.hpp"

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace shingle::drone {
namespace {

bool take_any_of(std::string_view& text, std::string_view letters) {
  if (text.empty() || letters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// `least` to `most` digits.
std::optional<int> take_digits(std::string_view& text, size_t least, size_t most) {
  size_t count = 0;
  int value = 0;
  for (; count < most && count < text.size() && is_digit(text[count]); ++count)
    value = 10 * value + (text[count] - '0');
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

// Days since 1970-01-01 of the Gregorian calendar, counted from 1 March on so that a leap day ends
// the year (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
int64_t days_of(int year, int month, int day) {
  const int64_t shifted = month <= 2 ? year - 1 : year;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const int64_t year_of_era = shifted - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719468;
}

bool exists(int year, int month, int day) {
  if (month < 1 || month > 12 || day < 1) return false;
  const int next_year = month == 12 ? year + 1 : year, next_month = month == 12 ? 1 : month + 1;
  return day <= days_of(next_year, next_month, 1) - days_of(year, month, 1);
}

// ".5" or DJI's ",774,808": a comma counts only in front of three digits.
double take_fraction(std::string_view& text) {
  double value = 0.0, digit_worth = 0.1;
  for (int group = 0; group < 2 && text.size() > 1; ++group) {
    const bool is_dji = text.front() == ',' && text.size() >= 4 && is_digit(text[1]) &&
                        is_digit(text[2]) && is_digit(text[3]);
    if (!is_dji && !(group == 0 && text.front() == '.' && is_digit(text[1]))) break;
    text.remove_prefix(1);
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
      value += digit_worth * (text.front() - '0');
      digit_worth /= 10.0;
    }
  }
  return value;
}

// Seconds that the zone's clock is ahead of UTC.
std::optional<double> take_zone(std::string_view& text) {
  if (take_any_of(text, "Zz")) return 0.0;
  if (text.size() < 3 || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  std::string_view rest = text;
  const double sign = rest.front() == '-' ? -1.0 : 1.0;
  rest.remove_prefix(1);
  const auto hours = take_digits(rest, 2, 2);
  if (!hours || *hours > 14) return std::nullopt;
  take_any_of(rest, ":");
  const int minutes = take_digits(rest, 2, 2).value_or(0);
  text = rest;
  return sign * (3600.0 * *hours + 60.0 * minutes);
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::optional<double> take_number(std::string_view& text) {
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  const size_t sign = rest.starts_with('-') && rest.size() == text.size() ? 1 : 0;
  // "inf", "nan" and a lone sign are no numbers.
  if (rest.size() <= sign || !(is_digit(rest[sign]) || rest[sign] == '.')) return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return value;
}

std::optional<double> number_of(std::string_view text) {
  text = trimmed(text);
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

std::optional<DateTime> take_date_time(std::string_view& text) {
  std::string_view rest = text;
  const auto year = take_digits(rest, 4, 4);
  if (!year || !take_any_of(rest, "-./")) return std::nullopt;
  const auto month = take_digits(rest, 1, 2);
  if (!month || !take_any_of(rest, "-./")) return std::nullopt;
  const auto day = take_digits(rest, 1, 2);
  if (!day || !take_any_of(rest, " T")) return std::nullopt;
  const auto hour = take_digits(rest, 1, 2);
  if (!hour || !take_any_of(rest, ":")) return std::nullopt;
  const auto minute = take_digits(rest, 2, 2);
  if (!minute || !take_any_of(rest, ":")) return std::nullopt;
  const auto second = take_digits(rest, 2, 2);
  if (!second || !exists(*year, *month, *day) || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  const double fraction = take_fraction(rest);
  const auto zone = take_zone(rest);
  text = rest;
  return DateTime{86400.0 * static_cast<double>(days_of(*year, *month, *day)) + 3600.0 * *hour +
                      60.0 * *minute + *second + fraction - zone.value_or(0.0),
                  zone.has_value()};
}

std::string date_time_text(double seconds_since_1970, int decimals) {
  assert(decimals >= 0 && decimals <= 6);
  int64_t parts = 1;  // of a second
  for (int each = 0; each < decimals; ++each) parts *= 10;
  const auto total =
      static_cast<int64_t>(std::llround(seconds_since_1970 * static_cast<double>(parts)));
  const int64_t day_length = 86'400 * parts;
  const int64_t of_day = (total % day_length + day_length) % day_length;
  const int64_t days = (total - of_day) / day_length;
  // The year by its mean length is at most one off.
  int year = 1970 + static_cast<int>(std::floor(static_cast<double>(days) / 365.2425));
  while (days_of(year + 1, 1, 1) <= days) ++year;
  while (days_of(year, 1, 1) > days) --year;
  int month = 1;
  while (month < 12 && days_of(year, month + 1, 1) <= days) ++month;
  const int64_t second = of_day / parts;
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d:%02d", year, month,
                static_cast<int>(days - days_of(year, month, 1)) + 1,
                static_cast<int>(second / 3600), static_cast<int>(second / 60 % 60),
                static_cast<int>(second % 60));
  if (decimals == 0) return text;
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%0*d", decimals, static_cast<int>(of_day % parts));
  return std::string(text) + fraction;
}

}  // namespace shingle::drone
