// CRC-32C (Castagnoli: polynomial 0x1EDC6F41, reflected, as RFC 3720 appendix B.4 has it): finds
// bytes that were corrupted on the wire or in memory. It finds all of one to three flipped bits in
// blocks up to 256 MiB, any odd number of them and any burst up to 32 bits; of all else it misses
// one in 2^32. It gives no protection against somebody who changes bytes on purpose: keys do.
//
// With the processor's own instructions (SSE4.2, ARMv8's CRC extension) where it has them, looked
// up at run time; the same number everywhere. CMake takes the one file of checksum_x86.cpp,
// checksum_arm.cpp and checksum_portable.cpp that fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shingle {

// `before`: the checksum of what stands before these bytes, so that parts can be added one by one.
uint32_t checksum(std::span<const std::byte> bytes, uint32_t before = 0);

// The same in plain C++.
uint32_t checksum_plainly(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace shingle
