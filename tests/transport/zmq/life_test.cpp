// Lives differ, whatever the clock says.
#include <doctest/doctest.h>

#include <set>

#include "transport/zmq/life.hpp"

namespace shingle {
namespace {

TEST_CASE("a thousand lives that begin in one second differ, and the later are not the higher") {
  std::set<uint64_t> lives;
  std::set<uint32_t> halves;
  int lower = 0;
  uint64_t last = draw_life();
  for (int i = 0; i < 1000; ++i) {
    const uint64_t life = draw_life();
    lower += life < last ? 1 : 0;
    lives.insert(life);
    halves.insert(static_cast<uint32_t>(life));
    halves.insert(static_cast<uint32_t>(life >> 32));
    last = life;
  }
  CHECK(lives.size() == 1000);
  CHECK(halves.size() > 1900);
  CHECK(lower > 300);  // 500 +- 9
  CHECK(lower < 700);
}

}  // namespace
}  // namespace shingle
