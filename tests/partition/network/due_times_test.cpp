#include "partition/network/due_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "partition/base/dice.hpp"

using namespace shingle;

TEST_CASE("the first is the one with the earliest time, whatever was changed and removed") {
  Dice dice(3);
  DueTimes due;
  std::map<uint32_t, Time> expected;
  for (int i = 0; i < 5000; ++i) {
    const auto thing = static_cast<uint32_t>(dice.below(40));
    if (dice.below(3) == 0) {
      due.remove(thing);
      expected.erase(thing);
    } else {
      const Time at{Duration(static_cast<int64_t>(dice.below(100)))};
      due.set(thing, at);
      expected[thing] = at;
    }
    REQUIRE(due.empty() == expected.empty());
    if (expected.empty()) continue;
    const auto sooner = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto first = std::min_element(expected.begin(), expected.end(), sooner);
    REQUIRE(due.first_time() == first->second);
    REQUIRE(due.first() == first->first);  // of equal times the lowest number
  }
}
