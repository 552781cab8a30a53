#include "apps/client/stream_router.hpp"

#include <doctest/doctest.h>

namespace shingle {
namespace {

using Ids = std::vector<StreamRouter::StreamId>;
using Kind = Report::Kind;
using Asked = StreamRouter::Asked;

PlanHash plan(uint8_t number) {
  PlanHash hash;
  hash.bytes[0] = number;
  return hash;
}

Report about_plan(Kind kind, const PlanHash& plan) {
  Report report;
  report.kind = kind;
  report.plan = plan;
  return report;
}

Report about_frame(Kind kind, uint64_t frame) {
  Report report;
  report.kind = kind;
  report.key = {.owner = {1}, .life = 1, .frame = frame};
  return report;
}

Report about_node(Kind kind, uint32_t node) {
  Report report;
  report.kind = kind;
  report.node = {node};
  return report;
}

struct TwoStreams {
  StreamRouter router;
  StreamRouter::StreamId first = router.add(), second = router.add();
};

TEST_CASE("reports about a plan concern the stream that proposed it") {
  TwoStreams two;
  CHECK(two.router.propose(two.first, plan(1)) == Asked::now);
  CHECK(two.router.propose(two.second, plan(2)) == Asked::now);
  for (const Kind kind : {Kind::plan_ready, Kind::plan_impaired, Kind::plan_refused}) {
    CHECK(two.router.on(about_plan(kind, plan(1))) == Ids{two.first});
    CHECK(two.router.on(about_plan(kind, plan(2))) == Ids{two.second});
    CHECK(two.router.on(about_plan(kind, plan(3))).empty());
  }
}

TEST_CASE("reports about a frame concern the stream that submitted it, until the frame ends") {
  TwoStreams two;
  for (const Kind end : {Kind::frame_closed, Kind::frame_dropped, Kind::frame_aborted}) {
    two.router.submitted(two.first, 1);
    two.router.submitted(two.second, 2);
    CHECK(two.router.on(about_frame(Kind::tile_done, 2)) == Ids{two.second});
    CHECK(two.router.on(about_frame(Kind::frame_reissued, 1)) == Ids{two.first});
    for (const uint64_t frame : {1U, 2U}) {
      CHECK(two.router.stream_of(frame));
      CHECK(two.router.on(about_frame(end, frame)).size() == 1);
      CHECK_FALSE(two.router.stream_of(frame));
      CHECK(two.router.on(about_frame(Kind::tile_lent, frame)).empty());
    }
  }
}

TEST_CASE("frames of a stream that was removed are nobody's, and counted until they end") {
  TwoStreams two;
  two.router.submitted(two.first, 1);
  two.router.submitted(two.second, 2);
  CHECK(two.router.left_frames() == 0);
  two.router.remove(two.first);
  CHECK_FALSE(two.router.stream_of(1));
  CHECK(two.router.left_frames() == 1);
  CHECK(two.router.on(about_frame(Kind::frame_closed, 1)).empty());
  CHECK(two.router.left_frames() == 0);
  CHECK(two.router.stream_of(2) == two.second);
}

TEST_CASE("what happens to nodes concerns all streams, and a later stream can ask who is there") {
  TwoStreams two;
  CHECK(two.router.on(about_node(Kind::peer_joined, 7)) == Ids{two.first, two.second});
  CHECK(two.router.on(about_node(Kind::peer_joined, 5)) == Ids{two.first, two.second});
  CHECK(two.router.on(about_node(Kind::node_distrusted, 5)) == Ids{two.first, two.second});
  CHECK(two.router.joined() == std::set<NodeId>{{5}, {7}});
  CHECK(two.router.on(about_node(Kind::peer_lost, 7)) == Ids{two.first, two.second});
  CHECK(two.router.joined() == std::set<NodeId>{{5}});
}

TEST_CASE("a plan of two streams is withdrawn once neither needs it") {
  TwoStreams two;
  CHECK(two.router.propose(two.first, plan(1)) == Asked::now);
  CHECK(two.router.propose(two.second, plan(1)));  // not ready yet
  CHECK(two.router.on(about_plan(Kind::plan_ready, plan(1))) == Ids{two.first, two.second});
  CHECK_FALSE(two.router.withdraw(two.first, plan(1)));
  CHECK_FALSE(two.router.withdraw(two.first, plan(1)));  // it does not have it any more
  CHECK(two.router.withdraw(two.second, plan(1)));
  CHECK(two.router.on(about_plan(Kind::plan_ready, plan(1))).empty());
}

TEST_CASE("a plan of another stream is proposed again only if it was refused") {
  TwoStreams two;
  CHECK(two.router.propose(two.first, plan(1)) == Asked::now);
  CHECK(two.router.propose(two.second, plan(1)) == Asked::before);
  two.router.on(about_plan(Kind::plan_ready, plan(1)));
  CHECK(two.router.propose(two.second, plan(1)) == Asked::and_ready);
  two.router.on(about_plan(Kind::plan_impaired, plan(1)));  // the first goes on with stand-ins
  CHECK(two.router.propose(two.second, plan(1)) == Asked::before);
  two.router.on(about_plan(Kind::plan_refused, plan(1)));
  CHECK(two.router.propose(two.second, plan(1)) == Asked::now);
}

TEST_CASE("a stream may propose its own plan again that lost a home") {
  TwoStreams two;
  CHECK(two.router.propose(two.first, plan(1)) == Asked::now);
  two.router.on(about_plan(Kind::plan_impaired, plan(1)));
  CHECK(two.router.propose(two.first, plan(1)) == Asked::now);
}

TEST_CASE(
    "a stream that ends leaves the plans that nobody else needs, and its frames are nobody's") {
  TwoStreams two;
  two.router.propose(two.first, plan(1));
  two.router.propose(two.first, plan(2));
  two.router.propose(two.second, plan(2));
  two.router.submitted(two.first, 1);
  two.router.submitted(two.second, 2);
  CHECK(two.router.remove(two.first) == std::vector{plan(1)});
  CHECK_FALSE(two.router.stream_of(1));
  CHECK(two.router.stream_of(2) == two.second);
  CHECK(two.router.on(about_frame(Kind::frame_closed, 1)).empty());
  CHECK(two.router.on(about_plan(Kind::plan_impaired, plan(2))) == Ids{two.second});
  CHECK(two.router.on(about_node(Kind::peer_joined, 3)) == Ids{two.second});
}

}  // namespace
}  // namespace shingle
