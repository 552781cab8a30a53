// Content hashes: SHA-256 (FIPS 180-4). Models, plans and weights are named by them on the wire.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shingle {

struct Hash {
  std::array<uint8_t, 32> bytes{};
  friend auto operator<=>(const Hash&, const Hash&) = default;
};
using ModelHash = Hash;
using PlanHash = Hash;

Hash sha256(std::span<const std::byte> bytes);
Hash sha256(std::string_view text);
std::string to_string(const Hash& hash);                 // 64 hex digits
std::optional<Hash> read_hash(std::string_view digits);  // as to_string writes them
std::string short_name(const Hash& hash);                // the first 12: enough for people
uint64_t prefix64(
    const Hash& hash);  // the first 8 bytes, big-endian: enough for a frame's messages

}  // namespace shingle
