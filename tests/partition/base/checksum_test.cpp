#include "partition/base/checksum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

using networks::Random;

std::vector<std::byte> random_bytes(Random& random, size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

// The definition: divides the message's polynomial bit by bit.
uint32_t divided(std::span<const std::byte> bytes) {
  uint32_t rest = 0xffffffff;
  for (const std::byte byte : bytes) {
    rest ^= std::to_integer<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1) != 0 ? (rest >> 1) ^ 0x82f63b78 : rest >> 1;
  }
  return ~rest;
}

TEST_CASE("the checksum is the one of RFC 3720's examples") {
  const std::string_view digits = "123456789";
  CHECK(checksum(std::as_bytes(std::span(digits))) == 0xe3069283);
  std::vector<std::byte> block(32);
  CHECK(checksum(block) == 0x8a9136aa);
  std::ranges::fill(block, std::byte{0xff});
  CHECK(checksum(block) == 0x62a8ab43);
  for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i);
  CHECK(checksum(block) == 0x46dd794e);
  CHECK(checksum({}) == 0);
}

TEST_CASE("the processor's instructions, plain C++ and the definition agree at every length") {
  const uint64_t seed = 7;
  CAPTURE(seed);
  Random random(seed);
  for (size_t length = 0; length < 200; ++length) {
    const auto bytes = random_bytes(random, length + 8);
    const std::span part(bytes.data() + random.next() % 8, length);  // at any address
    REQUIRE(checksum(part) == divided(part));
    REQUIRE(checksum_plainly(part) == divided(part));
  }
}

TEST_CASE("they also agree where stretches are summed in parallel, after any earlier bytes") {
  Random random(9);
  for (size_t length = 3000; length < 13'000; length += 1 + random.next() % 150) {
    const auto bytes = random_bytes(random, length + 8);
    const std::span part(bytes.data() + random.next() % 8, length);
    const auto before = static_cast<uint32_t>(random.next());
    CAPTURE(length);
    REQUIRE(checksum(part) == divided(part));
    REQUIRE(checksum(part, before) == checksum_plainly(part, before));
  }
}

TEST_CASE("parts add up to the whole") {
  Random random(8);
  const auto bytes = random_bytes(random, 1000);
  const std::span whole(bytes);
  for (size_t cut = 0; cut <= whole.size(); cut += 37) {
    CHECK(checksum(whole.subspan(cut), checksum(whole.first(cut))) == checksum(whole));
    CHECK(checksum_plainly(whole.subspan(cut), checksum_plainly(whole.first(cut))) ==
          checksum(whole));
  }
}

TEST_CASE("every flipped bit and every burst is detected") {
  Random random(9);
  auto bytes = random_bytes(random, 500);
  const uint32_t right = checksum(bytes);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto mask = static_cast<std::byte>(1U << bit % 8);
    bytes[bit / 8] ^= mask;
    REQUIRE(checksum(bytes) != right);
    bytes[bit / 8] ^= mask;
  }
  for (size_t at = 0; at + 4 <= bytes.size(); ++at) {  // 32 bits in a row, the outer two flipped
    const auto before = bytes;
    bytes[at] ^= std::byte{1} | static_cast<std::byte>(random.next());
    bytes[at + 3] ^= std::byte{0x80} | static_cast<std::byte>(random.next());
    REQUIRE(checksum(bytes) != right);
    bytes = before;
  }
}

}  // namespace
}  // namespace shingle
