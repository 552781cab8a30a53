// Steps in lockstep: each part of each step runs once, and sees all of the step before.
#include "devices/threads/lockstep.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "devices/threads/parallel.hpp"

namespace shingle::tests {

namespace {

constexpr int64_t steps = 300;

// What part p of step s is: the sum of all parts of the step before, and p.
std::vector<int64_t> alone(int parts) {
  std::vector<int64_t> now(static_cast<size_t>(parts), 1), next = now;
  for (int64_t step = 0; step < steps; ++step) {
    int64_t sum = 0;
    for (const int64_t value : now) sum = (sum + value) % 1'000'003;
    for (int part = 0; part < parts; ++part) next[static_cast<size_t>(part)] = sum + part;
    now = next;
  }
  return now;
}

struct Together {
  explicit Together(int parts) : count(parts), lockstep(parts) {
    lockstep.begin(parts);
    for (auto& state : states) state.assign(static_cast<size_t>(parts), 1);
  }
  void run(int own) {
    lockstep.run(own, steps, [&](int64_t step, int part) {
      int64_t sum = 0;
      for (const int64_t value : states[step % 2]) sum = (sum + value) % 1'000'003;
      states[(step + 1) % 2][static_cast<size_t>(part)] = sum + part;
      ++calls;
    });
  }

  int count;
  Lockstep lockstep;
  std::vector<int64_t> states[2];
  std::atomic<int64_t> calls{0};
};

}  // namespace

TEST_CASE("Parts that several threads share give what one thread computes") {
  for (const int threads : {1, 2, 3, 5}) {
    for (int round = 0; round < 20; ++round) {
      Together together(threads);
      std::vector<std::thread> others;
      for (int own = 1; own < threads; ++own)
        others.emplace_back([&together, own] { together.run(own); });
      together.run(0);
      CHECK(together.states[steps % 2] == alone(threads));
      CHECK(together.calls == steps * threads);
      for (std::thread& other : others) other.join();
    }
  }
}

TEST_CASE("A thread computes the parts of those that never come") {
  Together together(4);
  together.run(2);
  CHECK(together.states[steps % 2] == alone(4));
  together.run(0);  // late: nothing is left
  CHECK(together.calls == steps * 4);
}

TEST_CASE("A pool's loop may be a lockstep, again and again") {
  const ThreadPool pool(3);
  Together together(3);
  for (int round = 0; round < 10; ++round) {
    together.lockstep.begin(3);
    for (auto& state : together.states) state.assign(3, 1);
    pool.for_each(3, 1'000'000, [&](int item, int) { together.run(item); });
    CHECK(together.states[steps % 2] == alone(3));
  }
}

}  // namespace shingle::tests
