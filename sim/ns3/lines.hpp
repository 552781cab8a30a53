// SPDX-License-Identifier: GPL-2.0-only
// Lines of the protocol (docs/develop/network_pipe.md) from standard input, and their words. Input
// is not trusted: a line has a limited length, a number has a limited number of digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle_ns3 {

constexpr std::size_t longest_line = 4096;  // bytes, with its newline

// One sentence for the other side. Ends the conversation.
struct Refusal {
  std::string sentence;
};

class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  // The next line without its newline; none at the end of the input. Throws Refusal if a line is
  // too long.
  std::optional<std::string> next();

 private:
  int descriptor_;
  std::string buffer_;
};

// Writes the line and its newline; false if nobody reads any more.
bool write_line(int descriptor, std::string line);

// Words are separated by exactly one space. Throws Refusal if there is another character than
// printable ASCII.
std::vector<std::string_view> words_of(std::string_view line);

// A decimal number of at most 18 digits, from `least` to `most`. Throws Refusal, which names
// `what`.
std::int64_t number(std::string_view word, std::string_view what, std::int64_t least,
                    std::int64_t most);

}  // namespace shingle_ns3
