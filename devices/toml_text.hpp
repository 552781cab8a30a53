// How values stand in the files that this program prints, so that reading them gives the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shingle {

struct MemoryUnit {
  std::string_view name;
  int64_t bytes;
};
inline constexpr MemoryUnit memory_units[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};

std::string exact_decimal(double value);  // the shortest that reads back as the same number: "4.0"
std::string memory_text(int64_t bytes);   // "\"512 MiB\"", or a number where no unit divides it

}  // namespace shingle
