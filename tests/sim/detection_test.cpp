// How soon other nodes notice a fault, and how soon they use the node again, with default limits.
#include <doctest/doctest.h>

#include "tests/swarm/detection.hpp"

namespace shingle::swarm {
namespace {

using std::chrono::milliseconds;

void check_all_notice(Fault fault, Duration at_most) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Detection found = detect(seed, fault);
    CHECK(found.missed == 0);
    for (const Duration noticed : found.noticed) CHECK(noticed <= at_most);
    REQUIRE(found.used_again.has_value());
    CHECK(*found.used_again <= std::chrono::seconds(2));
  }
}

TEST_CASE("a crash is noticed within 100 ms, and the node used again 2 s after its return") {
  check_all_notice(Fault::crash, milliseconds(100));
}

TEST_CASE("a hang is noticed within half a second, and the node used again 2 s after it") {
  check_all_notice(Fault::hang, milliseconds(500));
}

TEST_CASE("a node that is heard no more is noticed within half a second, though it hears all") {
  check_all_notice(Fault::one_way, milliseconds(500));
}

}  // namespace
}  // namespace shingle::swarm
