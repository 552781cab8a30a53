// SHA-256 as FIPS 180-4 section 6.2 writes it; names follow the standard.
#include "partition/hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace shingle {

namespace {

constexpr size_t block_bytes = 64;

constexpr std::array<uint32_t, 64> k = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<uint32_t, 8>;

uint32_t load_big_endian(const std::byte* at) {
  return std::to_integer<uint32_t>(at[0]) << 24 | std::to_integer<uint32_t>(at[1]) << 16 |
         std::to_integer<uint32_t>(at[2]) << 8 | std::to_integer<uint32_t>(at[3]);
}

std::array<uint32_t, 64> schedule(const std::byte* block) {
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = load_big_endian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  return w;
}

void absorb(State& state, const std::byte* block) {
  const std::array<uint32_t, 64> w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t choice = (e & f) ^ (~e & g);
    const uint32_t t1 = h + big1 + choice + k[t] + w[t];
    const uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const uint32_t t2 = big0 + majority;
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State mixed{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += mixed[i];
}

// The rest of the message, a 1 bit, zeros, and the length in bits: one block or two.
void absorb_tail(State& state, std::span<const std::byte> rest, uint64_t total_bytes) {
  std::array<std::byte, 2 * block_bytes> tail{};
  std::copy(rest.begin(), rest.end(), tail.begin());
  tail[rest.size()] = std::byte{0x80};
  const size_t size = rest.size() + 9 <= block_bytes ? block_bytes : 2 * block_bytes;
  const uint64_t bits = total_bytes * 8;
  for (size_t i = 0; i < 8; ++i) {
    tail[size - 1 - i] = static_cast<std::byte>((bits >> (8 * i)) & 0xff);
  }
  for (size_t at = 0; at < size; at += block_bytes) absorb(state, tail.data() + at);
}

}  // namespace

Hash sha256(std::span<const std::byte> bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const size_t full = bytes.size() / block_bytes * block_bytes;
  for (size_t at = 0; at < full; at += block_bytes) absorb(state, bytes.data() + at);
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

std::string short_name(const Hash& hash) { return to_string(hash).substr(0, 12); }

uint64_t prefix64(const Hash& hash) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; ++i) prefix = prefix << 8 | hash.bytes[i];
  return prefix;
}

}  // namespace shingle
