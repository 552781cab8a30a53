// Peers that fall silent while their connections stand.
#include "tests/runtime/node_bench.hpp"

namespace shingle {
namespace {

// Two nodes that stall at one time lose each other. Their connection stands, so nobody tells them
// that the other is there: one of them has to speak.
TEST_CASE("a peer that fell silent is greeted again, once, and joins when it answers") {
  NodeBench node(bench_config(0, 2));
  node.join(1);
  node.wait(std::chrono::seconds(2));
  node.give(Woken{});
  CHECK(node.reports(Report::Kind::peer_lost).size() == 1);
  const auto hellos = node.said<Hello>(1);
  REQUIRE(hellos.size() == 1);
  node.wait(std::chrono::seconds(2));
  node.give(Woken{});
  CHECK(node.said<Hello>(1).empty());
  Hello answer;
  answer.incarnation = 1;
  answer.session = 2;
  answer.answers = hellos.front().session;
  answer.window_bytes = 1 << 20;
  node.hear(1, answer);
  CHECK(node.reports(Report::Kind::peer_joined).size() == 1);
}

}  // namespace
}  // namespace shingle
