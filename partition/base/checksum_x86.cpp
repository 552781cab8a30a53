// x86-64: SSE4.2's CRC32 instruction, which is CRC-32C. CMake takes this file on x86-64 only.
//
// Each instruction waits three cycles for the result of the one before it. So three stretches are
// summed in parallel, and each earlier sum is then carried over the stretches after it:
//
//   bytes  [ stretch 0 | stretch 1 | stretch 2 ] [ stretch 0 | ...
//   sum      a           b           c             = carry(carry(a) ^ b) ^ c
//
// The sum is linear, so carrying it over a stretch of zeros is one table look-up for each of its
// bytes.
#include <nmmintrin.h>

#include <array>
#include <cstring>

#include "partition/base/checksum.hpp"

namespace shingle {

namespace {

constexpr size_t stretch = 1024;
using Carry = std::array<std::array<uint32_t, 256>, 4>;

uint32_t over_zeros(uint32_t sum) {
  constexpr uint32_t polynomial = 0x82f63b78;  // 0x1EDC6F41 with its bits reversed
  for (size_t bit = 0; bit < 8 * stretch; ++bit)
    sum = (sum >> 1) ^ ((sum & 1) != 0 ? polynomial : 0);
  return sum;
}

Carry make_carry() {
  std::array<uint32_t, 32> of_bit{};
  for (size_t bit = 0; bit < of_bit.size(); ++bit) of_bit[bit] = over_zeros(uint32_t{1} << bit);
  Carry carry{};
  for (size_t byte = 0; byte < carry.size(); ++byte)
    for (size_t value = 0; value < 256; ++value)
      for (size_t bit = 0; bit < 8; ++bit)
        if ((value >> bit & 1) != 0) carry[byte][value] ^= of_bit[8 * byte + bit];
  return carry;
}

uint64_t carried(const Carry& carry, uint64_t sum) {
  return carry[0][sum & 0xff] ^ carry[1][sum >> 8 & 0xff] ^ carry[2][sum >> 16 & 0xff] ^
         carry[3][sum >> 24 & 0xff];
}

uint64_t eight_at(const std::byte* at) {
  uint64_t eight = 0;
  std::memcpy(&eight, at, sizeof eight);
  return eight;
}

[[gnu::target("sse4.2")]] uint64_t three_stretches(const Carry& carry, uint64_t sum,
                                                   const std::byte* at) {
  uint64_t second = 0, third = 0;
  for (size_t i = 0; i < stretch; i += 8) {
    sum = _mm_crc32_u64(sum, eight_at(at + i));
    second = _mm_crc32_u64(second, eight_at(at + stretch + i));
    third = _mm_crc32_u64(third, eight_at(at + 2 * stretch + i));
  }
  return carried(carry, carried(carry, sum) ^ second) ^ third;
}

[[gnu::target("sse4.2")]] uint32_t checksum_sse(std::span<const std::byte> bytes, uint32_t before) {
  static const Carry carry = make_carry();
  uint64_t sum = static_cast<uint32_t>(~before);
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 3 * stretch; left -= 3 * stretch, at += 3 * stretch)
    sum = three_stretches(carry, sum, at);
  for (; left >= 8; left -= 8, at += 8) sum = _mm_crc32_u64(sum, eight_at(at));
  auto rest = static_cast<uint32_t>(sum);
  for (; left > 0; --left, ++at) rest = _mm_crc32_u8(rest, std::to_integer<uint8_t>(*at));
  return ~rest;
}

}  // namespace

uint32_t checksum(std::span<const std::byte> bytes, uint32_t before) {
  static const bool has_sse = __builtin_cpu_supports("sse4.2") != 0;
  return has_sse ? checksum_sse(bytes, before) : checksum_plainly(bytes, before);
}

}  // namespace shingle
