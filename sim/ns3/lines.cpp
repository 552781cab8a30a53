// SPDX-License-Identifier: GPL-2.0-only
#include "sim/ns3/lines.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace shingle_ns3 {

std::optional<std::string> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos && end < longest_line) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (buffer_.size() >= longest_line) throw Refusal{"a line is longer than 4096 bytes"};
    char bytes[longest_line];
    const ssize_t count = ::read(descriptor_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

bool write_line(int descriptor, std::string line) {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(descriptor, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

std::vector<std::string_view> words_of(std::string_view line) {
  for (const char each : line)
    if (each < ' ' || each > '~')
      throw Refusal{"a line has a character that is not printable ASCII"};
  std::vector<std::string_view> words;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find(' ', begin);
    words.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return words;
    begin = end + 1;
  }
}

std::int64_t number(std::string_view word, std::string_view what, std::int64_t least,
                    std::int64_t most) {
  bool digits = !word.empty() && word.size() <= 18;
  std::int64_t value = 0;
  for (const char each : word) {
    digits = digits && each >= '0' && each <= '9';
    if (digits) value = value * 10 + (each - '0');
  }
  if (!digits || value < least || value > most)
    throw Refusal{std::string(what) + " must be a whole number from " + std::to_string(least) +
                  " to " + std::to_string(most) + ", not '" + std::string(word.substr(0, 40)) +
                  "'"};
  return value;
}

}  // namespace shingle_ns3
