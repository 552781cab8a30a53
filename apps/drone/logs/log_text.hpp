// Small readers of text that all flight logs share: lines, numbers, dates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle::drone {

// Without line ends, "\n" or "\r\n", and without a byte order mark. Line 1 has the index 0.
std::vector<std::string_view> lines_of(std::string_view text);

std::string_view trimmed(std::string_view text);  // without blanks at both ends
bool is_digit(char letter);

// The finite number that `text` begins with, "+1.5" included; `text` is moved behind it.
std::optional<double> take_number(std::string_view& text);
std::optional<double> number_of(std::string_view text);  // the whole text, blanks around it aside

struct DateTime {
  double seconds = 0.0;   // since 1970-01-01 00:00
  bool has_zone = false;  // the text ends with Z or +hh:mm, and `seconds` is UTC
};

// "2022-10-07 17:52:13.500", with the date's parts also separated by '.' or '/', a 'T' between date
// and time, and after the seconds what DJI writes: ",774,808" for 774,808 microseconds.
// `text` is moved behind it. None: it does not begin with a date and time that exist.
std::optional<DateTime> take_date_time(std::string_view& text);

// "2022-10-07 17:52:13.500". `decimals` is at most 6.
std::string date_time_text(double seconds_since_1970, int decimals = 3);

}  // namespace shingle::drone
