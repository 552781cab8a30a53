// The arena: buffers that live together never share a byte, those that do not may.
#include "devices/pass/arena.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

namespace shingle::tests {

TEST_CASE("Buffers that live at the same time never overlap") {
  networks::Random random(31);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    std::vector<ArenaRequest> requests;
    for (int32_t n = random.between(1, 20); n > 0; --n) {
      const auto first = static_cast<size_t>(random.between(0, 15));
      requests.push_back({.bytes = random.between(1, 5000),
                          .first_step = first,
                          .last_step = first + static_cast<size_t>(random.between(0, 6))});
    }
    const ArenaLayout layout = lay_out(requests);
    int64_t sum = 0;
    for (size_t i = 0; i < requests.size(); ++i) {
      sum += (requests[i].bytes + 63) / 64 * 64;
      CHECK(layout.offsets[i] % 64 == 0);
      CHECK(layout.offsets[i] + requests[i].bytes <= layout.bytes);
      for (size_t j = 0; j < i; ++j) {
        bool together = false;
        for (size_t step = 0; step < 32; ++step) {
          const auto lives = [&](const ArenaRequest& request) {
            return step >= request.first_step && step <= request.last_step;
          };
          together = together || (lives(requests[i]) && lives(requests[j]));
        }
        const bool apart = layout.offsets[i] + requests[i].bytes <= layout.offsets[j] ||
                           layout.offsets[j] + requests[j].bytes <= layout.offsets[i];
        CHECK((!together || apart));
      }
    }
    CHECK(layout.bytes <= sum);
    int64_t most = 0;
    for (size_t step = 0; step < 32; ++step) {
      int64_t live = 0;
      for (const ArenaRequest& request : requests)
        if (step >= request.first_step && step <= request.last_step)
          live += (request.bytes + 63) / 64 * 64;
      most = std::max(most, live);
    }
    CHECK(live_bytes(requests) == most);
    CHECK(layout.bytes >= most);
    CHECK(layout.bytes * 4 <= most * 5);
  }
}

TEST_CASE("A chain of layers needs its two largest neighbours, no more") {
  const std::vector<ArenaRequest> chain{
      {640, 0, 1}, {1280, 1, 2}, {640, 2, 3}, {320, 3, 4}, {64, 4, 5}};
  CHECK(lay_out(chain).bytes == 1920);
}

}  // namespace shingle::tests
