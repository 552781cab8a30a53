// Tests the functions that change or measure the memory of this process, by the kernel's figures.
#include "apps/system/process_memory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace shingle {
namespace {

struct Mapped {
  int64_t size_kib = 0, resident_kib = 0;
};

// The program's executable mappings, from /proc/self/smaps (man 5 proc).
Mapped own_code() {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream maps("/proc/self/smaps");
  Mapped code;
  bool own = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string first, second;
    int64_t kib = 0;
    words >> first >> second;
    if (first.find('-') != std::string::npos)
      own = second.starts_with("r-x") && line.ends_with(program);
    if (!own || !(std::istringstream(second) >> kib)) continue;
    if (first == "Size:") code.size_kib += kib;
    if (first == "Rss:") code.resident_kib += kib;
  }
  return code;
}

TEST_CASE("the program's own code is resident once it was read") {
  read_own_code();
  const Mapped code = own_code();
  CHECK(code.size_kib > 1024);
  CHECK(code.resident_kib == code.size_kib);
}

TEST_CASE("the peak of resident memory is forgotten when asked to") {
  {
    const std::string large(64 << 20, 'x');
    CHECK(most_resident_bytes() >= int64_t{64} << 20);
    CHECK(large.back() == 'x');
  }
  forget_peak();
  CHECK(most_resident_bytes() < resident_bytes() + (int64_t{16} << 20));
}

}  // namespace
}  // namespace shingle
