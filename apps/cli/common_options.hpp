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

// An option's check: `check` returns a sentence, or nothing where the text is good.
CLI::Validator checked(std::string (*check)(const std::string&));

void describe_max_constants(CLI::App& verb, std::string& max_constants);
// REQUIRES: the text was checked as describe_max_constants() has it checked.
int64_t constant_bytes_of(const std::string& max_constants, int64_t memory_cap);

inline constexpr const char* packed_help =
    "keep weights there as kernels read them, and map them at the next start";

// Of an option; the sentence says how to write it.
Result<int64_t> memory_cap(const std::string& text);
inline constexpr const char* trace_help =
    "write what this node does there, for chrome://tracing or Perfetto";
inline constexpr const char* slow_file_help =
    "holds how many times longer this node takes than it could; may change at any time";

}  // namespace shingle
