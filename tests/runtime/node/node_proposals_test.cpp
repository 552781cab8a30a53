// A proposed plan stays until it is withdrawn, whatever other plans come and go.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "node_bench.hpp"

namespace shingle {
namespace {

using std::chrono::seconds;

// Node 0 owns and computes nothing; nodes 1, 2 and 3 compute.
struct ProposalBench {
  Model model = bench_model();
  NodeBench bench;
  std::set<uint32_t> there{1, 2, 3};

  explicit ProposalBench(NodeLimits limits = {}) : bench(config(limits)) {
    for (const uint32_t peer : there) bench.join(peer);
  }
  static NodeConfig config(NodeLimits limits) {
    NodeConfig config = bench_config(0, 4);
    limits.compute_slots = 0;
    config.limits = limits;
    return config;
  }
  LoadedPlan plan(std::vector<uint32_t> homes, int32_t rows = 2) const {
    return trusted_plan(model, bench_plan(model, std::move(homes), rows));
  }
  void propose(const LoadedPlan& plan) {
    bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  }
  // Ready here and at all peers that compute and have joined.
  void make_ready(const LoadedPlan& plan) {
    bench.wait(std::chrono::milliseconds(1));
    bench.load(plan);
    for (const uint32_t peer : there) bench.hear(peer, PlanReady{plan.hash, true, {}});
  }
  void lose(uint32_t peer) {
    bench.give(PeerLost{NodeId{peer}, "its connection closed"});
    there.erase(peer);
  }
  void come_back(uint32_t peer) {  // once
    bench.join(peer, 1, "", 2);
    there.insert(peer);
  }
  // Of the last step.
  bool is_offered(uint32_t peer, const LoadedPlan& plan) const {
    const auto offers = bench.said<PlanOffer>(peer);
    return std::any_of(offers.begin(), offers.end(),
                       [&](const PlanOffer& offer) { return offer.plan == plan.hash; });
  }
  // Makes the stand-in ready that was offered to a peer in the last step.
  void let_stand_in(uint32_t peer) {
    const auto offers = bench.said<PlanOffer>(peer);
    REQUIRE(offers.size() == 1);
    const auto stand_in = load_plan(model, offers[0].text.str(), offers[0].plan);
    REQUIRE(stand_in.ok());
    make_ready(*stand_in);
  }
  void capture(uint64_t frame, const LoadedPlan& plan) {
    bench.give(FrameCaptured{frame, plan.hash, seconds(1)});
  }
};

TEST_CASE("stand-ins make way for stand-ins, and what was proposed stays") {
  ProposalBench owner({.plans = 3});
  const LoadedPlan idle = owner.plan({1, 2}), busy = owner.plan({1, 3});
  for (const LoadedPlan* plan : {&idle, &busy}) {
    owner.propose(*plan);
    owner.make_ready(*plan);
  }
  // Given a stand-in for the one that has a frame
  owner.capture(1, busy);
  owner.lose(3);
  owner.let_stand_in(1);
  owner.come_back(3);
  owner.bench.hear(3, PlanReady{busy.hash, true, {}});
  // When another one is needed, and there is room for three plans
  owner.bench.wait(std::chrono::milliseconds(1));
  owner.lose(1);
  owner.let_stand_in(3);
  // Then the proposed plan that no frame is on is still offered to who comes back
  owner.come_back(1);
  CHECK(owner.is_offered(1, idle));
  CHECK(owner.is_offered(1, busy));
}

TEST_CASE("a proposal beyond the limit is refused with a sentence, and takes nothing from others") {
  ProposalBench owner;
  std::vector<LoadedPlan> plans;
  for (int32_t rows = 1; rows <= 16; ++rows) plans.push_back(owner.plan({1, 2}, rows));
  for (const LoadedPlan& plan : plans) {
    owner.propose(plan);
    CHECK(owner.bench.reports(Report::Kind::plan_refused).empty());
    owner.make_ready(plan);
  }
  const LoadedPlan more = owner.plan({3});
  owner.propose(more);
  REQUIRE(owner.bench.reports(Report::Kind::plan_refused).size() == 1);
  CHECK(owner.bench.reports(Report::Kind::plan_refused)[0].plan == more.hash);
  CHECK(owner.bench.reports(Report::Kind::plan_refused)[0].sentence ==
        "plan " + short_name(more.hash) +
            " was refused: this node offers 16 plans, as many as it may; withdraw one of them");
  CHECK(owner.bench.all<LoadPlan>().empty());
  owner.propose(plans.front());  // is no further one
  CHECK(owner.bench.reports(Report::Kind::plan_refused).empty());
  owner.lose(3);
  owner.come_back(3);
  for (const LoadedPlan& plan : plans) CHECK(owner.is_offered(3, plan));
}

TEST_CASE(
    "a plan that was withdrawn is kept for its frames, offered to nobody, and then forgotten") {
  ProposalBench owner({.open_frames = 1, .plans = 2});
  const LoadedPlan old = owner.plan({1}), next = owner.plan({2}, 3);
  owner.propose(old);
  owner.make_ready(old);
  owner.capture(1, old);
  owner.capture(2, old);  // waits
  owner.bench.give(PlanWithdrawn{old.hash});
  CHECK(owner.bench.reports(Report::Kind::frame_aborted).empty());
  owner.capture(3, old);  // comes too late
  REQUIRE(owner.bench.reports(Report::Kind::frame_aborted).size() == 1);
  CHECK(owner.bench.reports(Report::Kind::frame_aborted)[0].sentence ==
        "frame 3 was aborted: plan " + short_name(old.hash) + " was not proposed here");
  for (const uint64_t frame : {1U, 2U}) {
    const FrameKey key{NodeId{0}, 1, frame};
    owner.bench.hear(1, Grant{key});
    for (const StripId id : old.routes.to_owner)
      owner.bench.hear(1, Piece{key, prefix64(old.hash), Piece::Role::promised, {}, 0, id.value},
                       old.routes.strips[id.value].bytes);
    CHECK(owner.bench.all<Deliver>().size() == 1);
  }
  owner.bench.wait(seconds(1));
  for (const uint32_t peer : {1U, 2U, 3U}) owner.bench.hear(peer, Beat{});
  owner.bench.give(Woken{});
  owner.lose(3);
  owner.come_back(3);
  CHECK_FALSE(owner.is_offered(3, old));
  owner.propose(next);  // there is room for it
  CHECK(owner.bench.reports(Report::Kind::plan_refused).empty());
  CHECK(owner.bench.all<LoadPlan>().size() == 1);
}

TEST_CASE("others' offers take no room from what was proposed here") {
  NodeConfig config = bench_config(0, 3);
  config.limits.plans = 3;
  NodeBench node(config);
  for (const uint32_t peer : {1U, 2U}) node.join(peer);
  const Model model = bench_model();
  const LoadedPlan own = trusted_plan(model, bench_plan(model, {0, 1}));
  node.give(PlanProposed{own.hash, model.hash, print(own.plan)});
  node.load(own);
  for (int32_t rows = 3; rows <= 8; ++rows) {
    node.wait(seconds(10));
    const LoadedPlan other = trusted_plan(model, bench_plan(model, {0, 2}, rows));
    node.hear(2, PlanOffer{other.hash, model.hash, print(other.plan)});
    CHECK(node.all<LoadPlan>().size() == 1);
    node.load(other);
  }
  node.hear(1, PlanReady{own.hash, true, {}});
  CHECK(node.reports(Report::Kind::plan_ready).size() == 1);
}

TEST_CASE("an idle stand-in makes way for another owner's plan, a fresh one does not") {
  NodeConfig config = bench_config(0, 3);
  config.limits.plans = 2;
  NodeBench node(config);
  for (const uint32_t peer : {1U, 2U}) node.join(peer);
  const Model model = bench_model();
  const LoadedPlan own = trusted_plan(model, bench_plan(model, {0, 1}));
  const LoadedPlan other = trusted_plan(model, bench_plan(model, {0, 2}, 4));
  node.give(PlanProposed{own.hash, model.hash, print(own.plan)});
  node.load(own);
  for (const uint32_t peer : {1U, 2U}) node.hear(peer, PlanReady{own.hash, true, {}});
  node.give(PeerLost{NodeId{1}, "its connection closed"});
  node.give(FrameCaptured{1, own.hash, seconds(1)});
  REQUIRE(node.all<LoadPlan>().size() == 1);  // the stand-in
  const LoadPlan order = node.all<LoadPlan>().front();
  node.load(*load_plan(model, order.text, order.plan));
  for (auto orders = node.all<Compute>(); !orders.empty(); orders = node.all<Compute>())
    node.give(TileComputed{orders[0].key, orders[0].tile, 0, orders[0].place, seconds(0)});
  CHECK(node.all<Deliver>().size() == 1);
  const auto offer_other = [&] { node.hear(2, PlanOffer{other.hash, model.hash, "text"}); };
  offer_other();
  REQUIRE(node.said<PlanReady>(2).size() == 1);
  CHECK(node.said<PlanReady>(2)[0].again);
  node.wait(seconds(10));
  offer_other();
  CHECK(node.all<LoadPlan>().size() == 1);
}

}  // namespace
}  // namespace shingle
