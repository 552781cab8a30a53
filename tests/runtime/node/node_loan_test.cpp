#include <doctest/doctest.h>

#include <limits>

#include "node_bench.hpp"
#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

LoanEstimate busy_victim() {
  return {.wait_at_home = milliseconds(40),
          .compute_at_home = milliseconds(10),
          .slowness = 1.0,
          .moved_bytes = 100'000,
          .bytes_per_second = 10'000'000};  // 10 ms on the way
}

TEST_CASE("a tile is lent when that saves more time than it takes wires and thief") {
  CHECK(worth_lending(busy_victim()));  // back after 20 instead of 50 ms
}

TEST_CASE("a tile is kept when way and thief cost more than it saves") {
  LoanEstimate estimate = busy_victim();
  estimate.wait_at_home = milliseconds(29);  // back after 20 instead of 39
  CHECK_FALSE(worth_lending(estimate));
}

TEST_CASE("of a tile that nobody has measured nobody can say what lending it takes") {
  LoanEstimate estimate = busy_victim();
  estimate.compute_at_home = Duration::zero();
  CHECK(time_lent(estimate) == Duration::zero());
  CHECK(worth_lending(estimate));
}

TEST_CASE("the time of more work than a clock can count ends at a day") {
  CHECK(work_time(2'000'000, 500) == milliseconds(1));
  CHECK(work_time(0, 1'000'000'000) == Duration::zero());
  const Duration day = std::chrono::hours(24);
  CHECK(work_time(int64_t{1} << 40, 1'000'000'000) == day);
  CHECK(work_time(std::numeric_limits<int64_t>::max(), std::numeric_limits<uint32_t>::max()) ==
        day);
  // All tiles of all frames that a home holds, queued at once
  CHECK(day < Duration::max() / (int64_t{frames_at_home} * 4096));
}

TEST_CASE("a slow thief gets nothing that its victim finishes sooner") {
  LoanEstimate estimate = busy_victim();
  estimate.slowness = 4.0;
  CHECK_FALSE(worth_lending(estimate));
  estimate.wait_at_home = milliseconds(91);
  CHECK(worth_lending(estimate));  // back after 50 instead of 101 ms
}

TEST_CASE("where nothing was measured yet a loan is tried") {
  LoanEstimate estimate = busy_victim();
  estimate.compute_at_home = {};
  estimate.bytes_per_second = 1;
  CHECK(worth_lending(estimate));
}

TEST_CASE("parts of a loan cover its slices once and carry their bytes") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0, 1}));
  const Tile& tile = plan.plan.blocks[1].tiles[0];
  int64_t elements = 0;
  for (const Slice& slice : tile.inputs) elements += slice.region.elements();
  const std::vector<LentPart> parts = lent_parts(plan, tile.inputs);
  CHECK(total_bytes(parts) == 4 * elements);
  for (const LentPart& part : parts) CHECK(part.bytes <= max_strip_bytes);
}

}  // namespace
}  // namespace shingle
