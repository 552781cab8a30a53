// A settings file: one flat TOML table, such as /etc/shingle/node.toml. What its keys mean is the
// reader's matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

struct FileSetting {
  std::string key;
  std::vector<std::string> values;  // as written on a command line: "4", "0.5", "true", a text
  size_t line = 0;                  // counted from 1

  friend bool operator==(const FileSetting&, const FileSetting&) = default;
};

// In the order of the lines. A value is a text, a number, true, false, or a list of them; other
// values are an error, which names file and line.
Result<std::vector<FileSetting>> parse_settings(std::string_view text, std::string_view file);
Result<std::vector<FileSetting>> load_settings(const std::string& path);

}  // namespace shingle
