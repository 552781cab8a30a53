// How this program prints values in TOML files, so that reading them gives the same value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "partition/base/time.hpp"

namespace shingle {

struct MemoryUnit {
  std::string_view name;
  int64_t bytes;
};
inline constexpr MemoryUnit memory_units[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};

// The shortest text that reads back as the same number: "4.0".
std::string exact_decimal(double value);

inline constexpr int64_t max_memory = int64_t{1} << 50;  // 1 PiB: more must be a typing error

// "512 MiB" or "48MiB" as bytes, at most `max_memory`; none for anything else.
std::optional<int64_t> memory_with_unit(std::string_view text);
std::string duration_text(Duration duration);  // "\"200 ms\"", in the largest unit that divides it
std::string memory_text(int64_t bytes);  // "\"512 MiB\"", or a plain number if no unit divides it

}  // namespace shingle
