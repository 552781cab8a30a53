// Loops shared by threads: every item once, none by two threads at a time under one number.
#include "devices/threads/parallel.hpp"

#include <doctest/doctest.h>

#include <pthreadpool.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

namespace shingle::tests {

namespace {

constexpr int64_t worth_sharing = 1'000'000'000;

std::set<int> threads_of_process() {
  std::set<int> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(std::stoi(entry.path().filename()));
  return threads;
}

bool sleeps(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.at(text.rfind(')') + 2) == 'S';
}

// The CPU time that a thread of this process has taken: its clock's number is made of the thread's,
// as the kernel's interface has it (CPUCLOCK_SCHED of one thread).
int64_t cpu_nanoseconds(int thread) {
  timespec time{};
  REQUIRE(::clock_gettime((~thread << 3) | 6, &time) == 0);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// What XNNPACK's thread takes from the end of a loop of its own until it sleeps, `then` being
// called between.
template <class Function>
int64_t spent_waiting(const ThreadPool& pool, int thread, const Function& then) {
  pthreadpool_parallelize_1d(
      pool.handle_for(worth_sharing), [](void*, size_t) {}, nullptr, 64, 0);
  const int64_t before = cpu_nanoseconds(thread);
  then();
  while (!sleeps(thread)) std::this_thread::yield();
  return cpu_nanoseconds(thread) - before;
}

bool may_run_on(size_t core) {
  cpu_set_t mine{};
  REQUIRE(::sched_getaffinity(0, sizeof mine, &mine) == 0);
  return CPU_ISSET(core, &mine);
}

// The cores of the calling thread, which has them all again at the end.
class CallersCores {
 public:
  CallersCores() { REQUIRE(::sched_getaffinity(0, sizeof all_, &all_) == 0); }
  ~CallersCores() { ::sched_setaffinity(0, sizeof all_, &all_); }
  CallersCores(const CallersCores&) = delete;
  CallersCores& operator=(const CallersCores&) = delete;

  std::vector<size_t> allowed() const {
    std::vector<size_t> cores;
    for (size_t core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &all_)) cores.push_back(core);
    return cores;
  }
  void stay_on(size_t core) const {
    cpu_set_t one{};
    CPU_SET(core, &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  }

 private:
  cpu_set_t all_{};
};

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

TEST_CASE("A pool may go the moment it has come, or behind a loop: no worker stays asleep") {
  for (int round = 0; round < 2000; ++round) {
    const ThreadPool pool(3);
    if (round % 2 == 1) pool.for_each(3, worth_sharing, [](int, int) {});
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

TEST_CASE("A loop of ours sends XNNPACK's waiting threads to sleep") {
  const ThreadPool pool(2);
  pool.for_each(2, worth_sharing, [](int, int) {});
  const std::set<int> ours = threads_of_process();
  REQUIRE(pool.handle_for(worth_sharing) != nullptr);
  std::vector<int> theirs;
  for (const int thread : threads_of_process())
    if (ours.count(thread) == 0) theirs.push_back(thread);
  REQUIRE(theirs.size() == 1);
  // Sums over nine rounds: on a busy machine a spinning thread gets no CPU time in some of them.
  int64_t alone = 0, with_ours = 0;
  for (int round = 0; round < 9; ++round) {
    alone += spent_waiting(pool, theirs[0], [] {});
    with_ours +=
        spent_waiting(pool, theirs[0], [&] { pool.for_each(2, worth_sharing, [](int, int) {}); });
  }
  MESSAGE("waited for ", alone, " ns of CPU time by itself, ", with_ours,
          " ns with a loop of ours");
  CHECK(with_ours * 4 < alone);
}

TEST_CASE("Workers keep off the core on which their caller computes, wherever that goes") {
  const ThreadPool pool(2);
  const CallersCores cores;
  for (const size_t core : cores.allowed()) {
    CAPTURE(core);
    cores.stay_on(core);
    // Each of the two items waits for the other, so the worker has one.
    std::atomic<int> begun{0};
    std::atomic<bool> worker_may_come_here{false};
    pool.for_each(2, worth_sharing, [&](int, int thread) {
      ++begun;
      while (begun < 2) std::this_thread::yield();
      if (thread != 0 && may_run_on(core)) worker_may_come_here = true;
    });
    CHECK(worker_may_come_here == (cores.allowed().size() == 1));
  }
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
