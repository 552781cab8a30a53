// The lines of a trace file, one event each, with their limits.
#pragma once

#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

class TraceLines {
 public:
  // `in` must outlive it. `file` is for errors only.
  TraceLines(std::istream& in, std::string file, size_t most_bytes)
      : in_(in), file_(std::move(file)), most_bytes_(most_bytes) {}

  // The next event, a JSON object; none at the end. Errors name the file and the line.
  Result<std::optional<nlohmann::ordered_json>> next();
  // False once the file has ended without the "]" of its end.
  bool whole() const { return whole_; }
  Error error(const std::string& sentence) const;  // at the current line

 private:
  Result<bool> read_line();
  bool is_simple() const;

  std::istream& in_;
  const std::string file_;
  const size_t most_bytes_;
  std::string line_;
  size_t number_ = 0;
  bool whole_ = true, ended_ = false;
};

}  // namespace shingle
