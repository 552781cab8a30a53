#include "tests/devices/definition.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "devices/native/reference.hpp"

namespace shingle::tests {

void check_everywhere(const Map& computed, const Definition& exact, double tolerance) {
  const Region& region = computed.region;
  int64_t wrong = 0;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      for (int32_t c = region.c.begin; c < region.c.end; ++c) {
        const double expected = exact(y, x, c), value = static_cast<double>(computed.at(y, x, c));
        const bool right = value == expected || std::fabs(value - expected) <= tolerance;
        wrong += right ? 0 : 1;  // NaN is wrong
      }
    }
  }
  CHECK(wrong == 0);
}

Map reference_result(const Model& model, const std::vector<Map>& inputs) {
  ReferenceExecutor reference;
  return run_whole(reference, model, inputs).at(0);
}

}  // namespace shingle::tests
