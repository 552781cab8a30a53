// What people do to files that somebody has open: verbs for tests.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace shingle::tests {

inline void write_in_place(const std::string& path, const std::string& bytes, int64_t at = 0) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.flush().good());
}

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// As cp does it: the file is cut to nothing, then written.
inline void copy_over(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(file.flush().good());
}

inline void truncate_to(const std::string& path, uint64_t bytes) {
  std::filesystem::resize_file(path, bytes);
}

}  // namespace shingle::tests
