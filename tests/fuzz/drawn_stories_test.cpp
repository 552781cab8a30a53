// Stories from random bytes, of all lengths. No fuzzer guides them, but each build runs stories
// that are not in the corpus.
#include <doctest/doctest.h>

#include "tests/fuzz/target.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::fuzz {
namespace {

using networks::Random;

TEST_CASE("the node takes stories that are drawn") {
  const uint64_t seed = 20261123;
  INFO("seed ", seed);
  Random random(seed);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::byte> bytes(static_cast<size_t>(random.between(0, 4096)));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    node(bytes);
  }
}

}  // namespace
}  // namespace shingle::fuzz
