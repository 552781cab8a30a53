// Clues and numbers for tests of heads.
#pragma once

#include <string>
#include <vector>

#include "apps/heads/reading.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::testing {

using Dims = std::vector<int64_t>;

inline Clues clues_with(Shape input, const std::vector<Dims>& outputs, OnnxMetadata metadata = {}) {
  Clues clues{.input = input, .outputs = {}, .metadata = std::move(metadata)};
  for (const Dims& dims : outputs) {
    ModelOutput output;
    output.name = "out";
    output.dims = dims;
    clues.outputs.push_back(std::move(output));
  }
  return clues;
}

inline Clues named(Clues clues, const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) clues.outputs[i].name = names[i];
  return clues;
}

// As auto would have it, once the head is chosen.
inline Reading reading_with(const Head& head, const Clues& clues) {
  return {.head = &head, .clues = clues, .preparation = head.preparation(clues), .names = {}};
}

inline std::vector<float> uniform(int64_t count, float low, float high, uint64_t seed) {
  networks::Random random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.uniform(low, high);
  return values;
}

}  // namespace shingle::testing
