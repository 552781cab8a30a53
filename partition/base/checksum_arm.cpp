// AArch64: the CRC extension's CRC32C instructions (optional in ARMv8.0; every Cortex-A53, A72 and
// A76 has them). CMake takes this file on AArch64 only.
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <cstring>

#include "partition/base/checksum.hpp"

namespace shingle {

namespace {

[[gnu::target("+crc")]] uint32_t checksum_crc(std::span<const std::byte> bytes, uint32_t before) {
  uint32_t sum = ~before;
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, at, sizeof eight);
    sum = __crc32cd(sum, eight);
  }
  for (; left > 0; --left, ++at) sum = __crc32cb(sum, std::to_integer<uint8_t>(*at));
  return ~sum;
}

}  // namespace

uint32_t checksum(std::span<const std::byte> bytes, uint32_t before) {
  static const bool has_crc = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
  return has_crc ? checksum_crc(bytes, before) : checksum_plainly(bytes, before);
}

}  // namespace shingle
