// Who is offered a plan without having a tile in it.
#include "runtime/node/spare_nodes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace shingle {
namespace {

std::vector<NodeId> members(uint32_t count) {
  std::vector<NodeId> all;
  for (uint32_t id = 0; id < count; ++id) all.push_back(NodeId{id});
  return all;
}

TEST_CASE("in a small cluster all others are spares") {
  SpareNodes spares(members(17));
  CHECK(spares.are_all());
  std::vector<NodeId> others = members(17);
  std::erase(others, NodeId{4});
  CHECK(spares.of(NodeId{4}) == others);
}

TEST_CASE("in a large cluster sixteen are, the same whatever order the members are named in") {
  SpareNodes spares(members(18));
  CHECK_FALSE(spares.are_all());
  std::vector<NodeId> reversed = members(300);
  std::reverse(reversed.begin(), reversed.end());
  SpareNodes one(members(300)), other(reversed);
  for (const NodeId owner : members(300)) {
    const std::vector<NodeId>& chosen = one.of(owner);
    REQUIRE(chosen.size() == SpareNodes::most);
    CHECK(std::is_sorted(chosen.begin(), chosen.end()));
    CHECK(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
    CHECK(std::find(chosen.begin(), chosen.end(), owner) == chosen.end());
    CHECK(other.of(owner) == chosen);
  }
}

TEST_CASE("owners' spares are spread over the cluster") {
  SpareNodes spares(members(400));
  std::map<uint32_t, size_t> duties;
  for (const NodeId owner : members(400))
    for (const NodeId spare : spares.of(owner)) ++duties[spare.value];
  size_t most = 0;
  for (const auto& [node, count] : duties) most = std::max(most, count);
  CHECK(duties.size() > 395);  // 16 are expected for each
  CHECK(most < 36);
}

TEST_CASE("a member more changes few owners' spares, and each by one at most") {
  SpareNodes before(members(400)), after(members(401));
  size_t changed = 0;
  for (const NodeId owner : members(400)) {
    const std::vector<NodeId>&was = before.of(owner), &is = after.of(owner);
    std::vector<NodeId> gone;
    std::set_difference(was.begin(), was.end(), is.begin(), is.end(), std::back_inserter(gone));
    CHECK(gone.size() <= 1);
    changed += gone.size();
  }
  CHECK(changed < 40);  // 16 are expected
}

}  // namespace
}  // namespace shingle
