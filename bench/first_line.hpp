// The first line that a command prints: how benches ask a tool of tools/ where it keeps something.
#pragma once

#include <array>
#include <cstdio>
#include <cstring>
#include <string>

namespace shingle::bench {

// Empty if the command printed none or does not start.
inline std::string first_line(const char* command) {
  std::array<char, 4096> line{};
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return {};
  if (std::fgets(line.data(), line.size(), pipe) == nullptr) line[0] = '\0';
  pclose(pipe);
  line[std::strcspn(line.data(), "\n")] = '\0';
  return line.data();
}

}  // namespace shingle::bench
