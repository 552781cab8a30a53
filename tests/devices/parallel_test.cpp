// Loops shared by threads: every item once, none by two threads at a time under one number.
#include "devices/parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

namespace shingle::tests {

namespace {

constexpr int64_t worth_sharing = 1'000'000'000;

}  // namespace

TEST_CASE("Every item of many loops is computed once") {
  for (const int threads : {1, 2, 5}) {
    CAPTURE(threads);
    const ThreadPool pool(threads);
    for (int count = 0; count < 300; ++count) {
      std::vector<int> computed(static_cast<size_t>(count), 0);
      pool.for_each(count, worth_sharing,
                    [&](int item, int) { ++computed[static_cast<size_t>(item)]; });
      REQUIRE(std::all_of(computed.begin(), computed.end(), [](int times) { return times == 1; }));
    }
  }
}

TEST_CASE("A thread's number is its own while it computes") {
  const ThreadPool pool(4);
  std::array<std::atomic<int>, 4> inside{};
  std::atomic<bool> met{false};
  for (int loop = 0; loop < 200; ++loop) {
    pool.for_each(16, worth_sharing, [&](int, int thread) {
      if (inside.at(static_cast<size_t>(thread))++ != 0) met = true;
      --inside.at(static_cast<size_t>(thread));
    });
  }
  CHECK(!met);
}

TEST_CASE("Work that is not worth sharing stays with its caller") {
  const ThreadPool pool(3);
  const std::thread::id caller = std::this_thread::get_id();
  pool.for_each(100, 10, [&](int, int thread) {
    CHECK(thread == 0);
    CHECK(std::this_thread::get_id() == caller);
  });
}

}  // namespace shingle::tests
