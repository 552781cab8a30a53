// Content hashes: SHA-256 (FIPS 180-4). They name models, plans and weights in messages.
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
std::optional<Hash> read_hash(std::string_view digits);  // reads what to_string() writes
std::string short_name(const Hash& hash);                // the first 12 digits, for people
uint64_t prefix64(
    const Hash& hash);  // the first 8 bytes, big-endian; enough for a frame's messages

}  // namespace shingle
