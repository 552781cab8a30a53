// SHA-256 (FIPS 180-4): padding, initial state and text form.
#include "partition/base/hash.hpp"

#include <algorithm>
#include <charconv>

#include "partition/base/hash_blocks.hpp"

namespace shingle {

namespace {

// The rest of the message, a 1 bit, zeros, and the length in bits: one block or two.
void absorb_tail(HashState& state, std::span<const std::byte> rest, uint64_t total_bytes) {
  std::array<std::byte, 2 * hash_block_bytes> tail{};
  std::copy(rest.begin(), rest.end(), tail.begin());
  tail[rest.size()] = std::byte{0x80};
  const size_t size = rest.size() + 9 <= hash_block_bytes ? hash_block_bytes : 2 * hash_block_bytes;
  const uint64_t bits = total_bytes * 8;
  for (size_t i = 0; i < 8; ++i) {
    tail[size - 1 - i] = static_cast<std::byte>((bits >> (8 * i)) & 0xff);
  }
  absorb(state, tail.data(), size / hash_block_bytes);
}

}  // namespace

Hash sha256(std::span<const std::byte> bytes) {
  HashState state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const size_t full = bytes.size() / hash_block_bytes * hash_block_bytes;
  absorb(state, bytes.data(), full / hash_block_bytes);
  absorb_tail(state, bytes.subspan(full), bytes.size());
  Hash hash;
  for (size_t i = 0; i < hash.bytes.size(); ++i) {
    hash.bytes[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return hash;
}

Hash sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string to_string(const Hash& hash) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * hash.bytes.size());
  for (uint8_t byte : hash.bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::optional<Hash> read_hash(std::string_view digits) {
  Hash hash;
  if (digits.size() != 2 * hash.bytes.size()) return std::nullopt;
  for (size_t i = 0; i < hash.bytes.size(); ++i) {
    const char* at = digits.data() + 2 * i;
    const auto read = std::from_chars(at, at + 2, hash.bytes[i], 16);
    if (read.ec != std::errc() || read.ptr != at + 2) return std::nullopt;
  }
  return hash;
}

std::string short_name(const Hash& hash) { return to_string(hash).substr(0, 12); }

uint64_t prefix64(const Hash& hash) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; ++i) prefix = prefix << 8 | hash.bytes[i];
  return prefix;
}

}  // namespace shingle
