// The audits of one frame: claims of the node that computed a tile and of its auditors.
#include "runtime/node/owner/own_audits.hpp"

#include <doctest/doctest.h>

namespace shingle {
namespace {

constexpr NodeId home{1}, first{2}, second{3}, thief{4};
constexpr TileId tile{7};
constexpr TileContent right{1, 10}, wrong{1, 11};

struct Audited {
  Audited() {
    audits.begin({});
    audits.add(tile, {first, second});
  }
  void done(NodeId by, const TileContent& content = {}, uint32_t attempt = 0) {
    audits.computed(Done{.key = {},
                         .tile = tile,
                         .computed_by = by,
                         .attempt = attempt,
                         .compute_time = {},
                         .content = content},
                    home);
  }

  OwnAudits audits;
};

TEST_CASE("a tile is compared when its computer and an auditor have claimed a content") {
  Audited frame;
  CHECK_FALSE(frame.audits.both(tile).has_value());
  frame.audits.claim(tile, first, 0, right);
  CHECK_FALSE(frame.audits.both(tile).has_value());
  frame.done(home, wrong);
  const auto both = frame.audits.both(tile);
  REQUIRE(both.has_value());
  CHECK(both->first == TileClaim{home, wrong});
  CHECK(both->second == TileClaim{first, right});
  CHECK_FALSE(both->agree());
}

TEST_CASE("a node does not audit the tile that it computed") {
  Audited frame;
  frame.done(first);
  frame.audits.claim(tile, first, 0, right);
  CHECK_FALSE(frame.audits.both(tile).has_value());
  frame.audits.claim(tile, second, 0, right);
  REQUIRE(frame.audits.both(tile).has_value());
  CHECK(frame.audits.both(tile)->agree());
}

TEST_CASE("of a thief only the attempt counts that its victim used") {
  Audited frame;
  frame.audits.claim(tile, first, 0, right);
  frame.audits.claim(tile, thief, 0, wrong);
  frame.done(thief, {}, 1);
  CHECK_FALSE(frame.audits.both(tile).has_value());
  frame.audits.claim(tile, thief, 1, right);
  REQUIRE(frame.audits.both(tile).has_value());
  CHECK(frame.audits.both(tile)->agree());
}

TEST_CASE("a dispute outlives the attempt, and two nodes that agree end it") {
  Audited frame;
  const OwnAudits::Verdict undecided =
      frame.audits.judge(tile, {.first = {home, wrong}, .second = {first, right}});
  CHECK(undecided.contradicting.empty());
  CHECK_FALSE(undecided.right.has_value());
  frame.audits.clear();
  CHECK(frame.audits.is_disputed(tile));
  CHECK(frame.audits.has_claimed(tile, first));
  CHECK_FALSE(frame.audits.has_claimed(tile, second));
  const OwnAudits::Verdict decided =
      frame.audits.judge(tile, {.first = {home, wrong}, .second = {second, right}});
  CHECK(decided.contradicting == std::vector<NodeId>{home});
  CHECK(decided.right == right.outputs);
  CHECK_FALSE(frame.audits.has_disputes());
}

TEST_CASE("a lost node is waited for until it has claimed something") {
  Audited frame;
  CHECK(frame.audits.waiting_for(first) == std::vector<TileId>{tile});
  CHECK(frame.audits.waiting_for(thief).empty());
  frame.done(thief);
  CHECK(frame.audits.waiting_for(thief) == std::vector<TileId>{tile});
  frame.audits.claim(tile, first, 0, right);
  CHECK(frame.audits.waiting_for(first).empty());
  frame.audits.end(tile);
  CHECK(frame.audits.open() == 0);
  CHECK(frame.audits.adds_up());
  CHECK(frame.audits.waiting_for(thief).empty());
}

}  // namespace
}  // namespace shingle
