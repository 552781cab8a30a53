#include "runtime/driver/worker.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <utility>

namespace shingle {
namespace {

TEST_CASE("a worker does what it was woken for until nothing is left") {
  std::atomic<int> left = 3;
  std::latch done(1);
  const auto worker = own_thread([&] {
    if (left == 0) return false;
    if (--left == 0) done.count_down();
    return true;
  });
  worker->wake();
  done.wait();
  CHECK(left == 0);
}

TEST_CASE("who is woken while it looks looks again") {
  std::atomic<bool> there = false;
  std::latch looking(1), told(1), done(1);
  const auto worker = own_thread([&, first = true]() mutable {
    if (there.exchange(false)) done.count_down();
    if (!std::exchange(first, false)) return false;
    looking.count_down();
    told.wait();
    return false;  // as it was when it looked
  });
  worker->wake();
  looking.wait();
  there = true;
  worker->wake();
  told.count_down();
  done.wait();
}

TEST_CASE("a worker ends after what it is doing") {
  std::atomic<int> begun = 0, ended = 0;
  std::latch under_way(1), ending(1);
  auto worker = own_thread([&] {
    if (++begun == 1) under_way.count_down();
    ending.wait();
    ++ended;
    return false;
  });
  worker->wake();
  under_way.wait();
  ending.count_down();
  worker.reset();
  CHECK(begun == ended);
  CHECK(begun == 1);
}

}  // namespace
}  // namespace shingle
