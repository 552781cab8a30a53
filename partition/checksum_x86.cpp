// x86-64: SSE4.2's CRC32 instruction, which is CRC-32C. CMake takes this file on x86-64 only.
#include <nmmintrin.h>

#include <cstring>

#include "partition/checksum.hpp"

namespace shingle {

namespace {

[[gnu::target("sse4.2")]] uint32_t checksum_sse(std::span<const std::byte> bytes, uint32_t before) {
  uint64_t sum = static_cast<uint32_t>(~before);
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, at, sizeof eight);
    sum = _mm_crc32_u64(sum, eight);
  }
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
