// The checksum in plain C++, eight bytes per step: tables[t][b] is what byte b contributes to the
// checksum t bytes later. Source: M. Kounavis, F. Berry, A Systematic Approach to Building High
// Performance, Software-based, CRC Generators, ISCC 2005.
#include "partition/base/checksum.hpp"

#include <array>

namespace shingle {

namespace {

constexpr uint32_t polynomial = 0x82f63b78;  // 0x1EDC6F41 with its bits reversed
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? polynomial : 0);
    tables[0][byte] = rest;
  }
  for (size_t t = 1; t < tables.size(); ++t)
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[t - 1][byte];
      tables[t][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}
constexpr Tables tables = make_tables();

uint32_t byte_at(const std::byte* at) { return std::to_integer<uint32_t>(*at); }

uint32_t add_eight(uint32_t sum, const std::byte* at) {
  sum ^= byte_at(at) | byte_at(at + 1) << 8 | byte_at(at + 2) << 16 | byte_at(at + 3) << 24;
  return tables[7][sum & 0xff] ^ tables[6][(sum >> 8) & 0xff] ^ tables[5][(sum >> 16) & 0xff] ^
         tables[4][sum >> 24] ^ tables[3][byte_at(at + 4)] ^ tables[2][byte_at(at + 5)] ^
         tables[1][byte_at(at + 6)] ^ tables[0][byte_at(at + 7)];
}

}  // namespace

uint32_t checksum_plainly(std::span<const std::byte> bytes, uint32_t before) {
  uint32_t sum = ~before;
  const std::byte* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) sum = add_eight(sum, at);
  for (; left > 0; --left, ++at) sum = (sum >> 8) ^ tables[0][(sum ^ byte_at(at)) & 0xff];
  return ~sum;
}

}  // namespace shingle
