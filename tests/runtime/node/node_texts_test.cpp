// Texts of one plan from several owners, some of which are wrong.
#include <doctest/doctest.h>

#include "node_bench.hpp"

namespace shingle {
namespace {

// Node 1 is a home of a plan; nodes 0, 2 and 3 offer it.
struct Offered {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  NodeBench bench{bench_config(1, 4)};

  Offered() {
    for (const uint32_t peer : {0U, 2U, 3U}) bench.join(peer);
  }
  // Returns the text that is loaded at once, if any.
  std::string offer(uint32_t from, const std::string& text) {
    bench.hear(from, PlanOffer{plan.hash, model.hash, text});
    return loading();
  }
  std::string fail() {
    bench.give(PlanLoaded{plan.hash, Error{"it does not hash to that"}});
    return loading();
  }
  std::string loading() const {
    const auto loads = bench.all<LoadPlan>();
    return loads.empty() ? "" : loads.front().text;
  }
  // Returns the answer of the last step: "ready", "refused", "again" or nothing.
  std::string answer(uint32_t to) const {
    const auto said = bench.said<PlanReady>(to);
    if (said.empty()) return "";
    return said.front().ready ? "ready" : said.front().again ? "again" : "refused";
  }
};

TEST_CASE("a false text harms the one who sent it, and not the honest offer after it") {
  Offered node;
  CHECK(node.offer(3, "nonsense") == "nonsense");
  CHECK(node.offer(0, "honest") == "");  // waits for its turn
  CHECK(node.fail() == "honest");
  CHECK(node.answer(3) == "refused");
  CHECK(node.answer(0) == "");
  node.bench.load(node.plan);
  CHECK(node.answer(0) == "ready");
  CHECK(node.answer(3) == "");
}

TEST_CASE("a true text under another model's name harms nobody else either") {
  Offered node;
  ModelHash other = node.model.hash;
  other.bytes[0] ^= 1;
  node.bench.hear(3, PlanOffer{node.plan.hash, other, "honest"});
  CHECK(node.offer(0, "honest") == "");
  CHECK(node.fail() == "honest");
  CHECK(node.bench.all<LoadPlan>().front().model == node.model.hash);
  CHECK(node.answer(3) == "refused");
  CHECK(node.answer(0) == "");
}

TEST_CASE("one text of several owners is loaded once, and all of them hear why it fails") {
  Offered node;
  CHECK(node.offer(0, "text") == "text");
  CHECK(node.offer(2, "text") == "");
  CHECK(node.fail() == "");
  CHECK(node.answer(0) == "refused");
  CHECK(node.answer(2) == "refused");
  CHECK(node.offer(0, "text") == "text");  // and it may be tried again
}

TEST_CASE("a peer that offers text after text has one of them waiting") {
  Offered node;
  CHECK(node.offer(0, "honest") == "honest");
  for (int i = 0; i < 100; ++i) CHECK(node.offer(3, "lie " + std::to_string(i)) == "");
  CHECK(node.fail() == "lie 99");
  CHECK(node.answer(0) == "refused");
  CHECK(node.fail() == "");
  CHECK(node.answer(3) == "refused");
}

TEST_CASE("what a lost peer offered is not loaded any more") {
  Offered node;
  CHECK(node.offer(0, "honest") == "honest");
  CHECK(node.offer(3, "lie") == "");
  node.bench.give(PeerLost{NodeId{3}, "it closed the connection"});
  CHECK(node.fail() == "");
  CHECK(node.answer(0) == "refused");
}

TEST_CASE("who takes the text for known is asked for it when no other was true") {
  Offered node;
  CHECK(node.offer(3, "nonsense") == "nonsense");
  CHECK(node.offer(0, "") == "");
  CHECK(node.fail() == "");
  CHECK(node.answer(3) == "refused");
  CHECK(node.answer(0) == "again");
}

TEST_CASE("a plan proposed here is not refused for another's false text") {
  Offered node;
  CHECK(node.offer(3, "nonsense") == "nonsense");
  node.bench.give(PlanProposed{node.plan.hash, node.model.hash, "honest"});
  CHECK(node.fail() == "honest");
  CHECK(node.bench.reports(Report::Kind::plan_refused).empty());
  node.bench.load(node.plan);
  CHECK(node.bench.reports(Report::Kind::plan_ready).size() == 1);
}

}  // namespace
}  // namespace shingle
