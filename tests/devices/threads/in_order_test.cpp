// Pieces that threads take in order and that wait for earlier ones, over many rounds.
#include "devices/threads/in_order.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "devices/threads/parallel.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::tests {

TEST_CASE("Whoever waited for pieces sees all that they wrote, for many rounds of any length") {
  constexpr int64_t worth_sharing = 1'000'000'000;
  for (const int threads : {1, 2, 5}) {
    CAPTURE(threads);
    const ThreadPool pool(threads);
    InOrder order(threads);
    networks::Random random(11);
    for (int round = 0; round < 300; ++round) {
      const auto count = static_cast<size_t>(random.between(1, 60));
      order.reserve(count);
      std::vector<size_t> after(count);
      std::vector<uint64_t> computed(count, 0), expected(count, 0);
      for (size_t i = 0; i < count; ++i)
        after[i] = static_cast<size_t>(random.between(0, static_cast<int32_t>(i)));
      // Everybody adds up what everybody before its `after` has, in memory that is not atomic.
      const auto add_up = [&](std::vector<uint64_t>& sums, size_t i) {
        sums[i] = std::accumulate(sums.begin(),
                                  sums.begin() + static_cast<std::ptrdiff_t>(after[i]), i + 1);
      };
      for (size_t i = 0; i < count; ++i) add_up(expected, i);
      order.begin();
      pool.for_each(static_cast<int>(count), worth_sharing, [&](int item, int thread) {
        const auto i = static_cast<size_t>(item);
        order.wait_for(after[i], thread);
        add_up(computed, i);
        order.ended(i);
      });
      REQUIRE(computed == expected);
    }
  }
}

}  // namespace shingle::tests
