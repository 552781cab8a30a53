#include "apps/client/tally.hpp"

#include <doctest/doctest.h>

#include "partition/search/planner.hpp"
#include "runtime/protocol/load_plan.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

TEST_CASE("a thief that is no home of the plan is counted among the members") {
  const Model model = networks::make("tiny", 0, 1).value();
  const LoadedPlan plan = trusted_plan(model, single_plan(model, {4}));
  Tally tally(homes(plan.plan));
  tally.tile_done(plan, {0}, {4});
  tally.tile_done(plan, {0}, {2});
  tally.tile_done(plan, {0}, {7});
  tally.tile_done(plan, {0}, {2});
  CHECK(tally.members() == std::vector<NodeId>{{2}, {4}, {7}});
  CHECK(tally.tiles() == std::vector<uint64_t>{2, 1, 1});
  CHECK(tally.thefts() == std::vector<uint64_t>{2, 0, 1});
  CHECK(tally.all_thefts() == 3);
  CHECK(tally.lent_bytes() > 0);
  CHECK(tally.macs()[0] == 2 * tally.macs()[1]);
}

}  // namespace
}  // namespace shingle
