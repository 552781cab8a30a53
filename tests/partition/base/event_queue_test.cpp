#include "partition/base/event_queue.hpp"

#include <doctest/doctest.h>

using namespace shingle;

TEST_CASE("things planned for one time happen in the order of planning") {
  const auto at = [](int64_t nanoseconds) { return Time{Duration(nanoseconds)}; };
  EventQueue<int> queue;
  queue.push(at(5), 1);
  queue.push(at(1), 2);
  queue.push(at(5), 3);
  queue.push(at(3), 4);
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.take());
  CHECK(order == std::vector<int>{2, 4, 1, 3});
  CHECK(queue.now() == at(5));
}
