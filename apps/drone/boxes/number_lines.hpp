// Text files with numbers: some in each line, separated by commas or blanks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::drone {

struct NumberLine {
  size_t number = 0;  // of the line, from 1 on
  std::vector<double> values;
};

struct NumberLineFormat {
  std::string name;     // the file's, for error sentences
  size_t least = 1;     // fields that a line has at least
  size_t read = 1;      // fields that are read; what follows is left out
  std::string meaning;  // what a line should have, as "MOTChallenge lines have frame,id and more"
};

// Lines without a field are left out. All numbers are finite.
Result<std::vector<NumberLine>> read_number_lines(std::string_view text,
                                                  const NumberLineFormat& format);

// The whole text as a number; none: it is something else, or not finite.
std::optional<double> finite_number(std::string_view text);

// An error sentence about a line: "'boxes.txt' line 3 has ...".
Error bad_line(const std::string& name, size_t line, const std::string& what);

bool is_whole(double value);           // and exact
std::string as_written(double value);  // short, for sentences

}  // namespace shingle::drone
