// CRC-32C (Castagnoli: polynomial 0x1EDC6F41, reflected, as in RFC 3720 appendix B.4). It detects
// bytes that were corrupted on the network or in memory: every error of one to three bits in blocks
// of up to 256 MiB, every odd number of flipped bits, every burst of up to 32 bits, and all but one
// in 2^32 of the other errors. It does not protect against deliberate changes; keys do that.
//
// It uses the processor's CRC instructions (SSE4.2, ARMv8's CRC extension) if a check at run time
// finds them. The result is the same on every machine. CMake compiles the one file of
// checksum_x86.cpp, checksum_arm.cpp and checksum_portable.cpp that fits the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shingle {

// `before`: the checksum of the bytes in front of these, so that a checksum can be computed in
// parts.
uint32_t checksum(std::span<const std::byte> bytes, uint32_t before = 0);

// The same in plain C++.
uint32_t checksum_plainly(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace shingle
