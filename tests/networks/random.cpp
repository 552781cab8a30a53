#include <cmath>

#include "partition/base/dice.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::networks {

uint64_t Random::next() { return splitmix64(state_); }

int32_t Random::between(int32_t low, int32_t high) {
  const auto choices = static_cast<uint64_t>(int64_t{high} - low + 1);
  return static_cast<int32_t>(low + static_cast<int64_t>(next() % choices));
}

float Random::uniform(float low, float high) {
  const auto unit = static_cast<float>(next() >> 40) * 0x1p-24F;  // 24 bits: every one exact
  return low + (high - low) * unit;
}

// The sum of four uniform numbers, scaled to deviation 1. It avoids the logarithm, whose last bit
// differs between libraries.
float Random::normal() {
  const uint64_t bits = next();
  int64_t sum = 0;
  for (int part = 0; part < 4; ++part) sum += static_cast<int64_t>((bits >> (16 * part)) & 0xFFFF);
  const auto centred = static_cast<float>(sum - 2 * 65535);
  return centred * (1.7320508F / 65536.0F);
}

bool Random::chance(double probability) {
  return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
}

std::vector<float> random_input(Shape shape, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (float& value : values) value = random.uniform(-1.0F, 1.0F);
  return values;
}

}  // namespace shingle::networks
