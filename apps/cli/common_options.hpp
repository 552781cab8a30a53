// Options that `shingle node` shares with other verbs.
#pragma once

#include <cstdint>
#include <string>

#include "partition/base/result.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace shingle {

// The check of an option. `check` returns an error sentence, or an empty text if the value is good
// (CLI11's rule).
CLI::Validator checked(std::string (*check)(const std::string&));

void describe_max_constants(CLI::App& verb, std::string& max_constants);
// REQUIRES: the text has passed the check of describe_max_constants().
int64_t constant_bytes_of(const std::string& max_constants, int64_t memory_cap);

inline constexpr const char* packed_help =
    "store packed weights in this folder, and map them at the next start";

// Reads an option's amount of memory; the sentence says how to write one.
Result<int64_t> memory_cap(const std::string& text);
std::string check_memory(const std::string& text);  // for checked()
inline constexpr const char* trace_help =
    "write a trace of what this node does, for chrome://tracing or Perfetto";
inline constexpr const char* slow_file_help =
    "file with a number, read for each tile: this node takes that many times longer";

}  // namespace shingle
