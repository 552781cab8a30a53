// Peers that fall silent: when they count as lost, and how they join again.
#include <doctest/doctest.h>

#include "node_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

// Node 0, awake, among one peer that has joined.
struct Listener {
  explicit Listener(Duration most = milliseconds(400)) : node(patient(most)) { node.join(1); }
  static NodeConfig patient(Duration most) {
    NodeConfig config = bench_config(0, 2);
    config.limits.most_silence_allowed = most;
    return config;
  }
  // Lets so much time pass, and wakes this node when it wants to. Returns whether the peer was
  // lost.
  bool loses_in(Duration duration) {
    bool lost = false;
    for (Duration step = milliseconds(10); duration > Duration::zero(); duration -= step) {
      node.wait(step);
      node.give(Woken{});
      lost = lost || !node.reports(Report::Kind::peer_lost).empty();
    }
    return lost;
  }
  void hear() { node.hear(1, Beat{}); }
  NodeBench node;
};

TEST_CASE("a peer that fell silent is greeted again, once, and joins when it answers") {
  NodeBench node(bench_config(0, 2));
  node.join(1);
  std::vector<Hello> hellos;
  for (int beat = 0; beat < 40; ++beat) {
    node.wait(milliseconds(100));
    node.give(Woken{});
    for (const Hello& hello : node.said<Hello>(1)) hellos.push_back(hello);
  }
  REQUIRE(hellos.size() == 1);
  Hello answer;
  answer.life = 1;
  answer.session = 2;
  answer.answers = hellos.front().session;
  answer.credit_bytes = 1 << 20;
  node.hear(1, answer);
  CHECK(node.reports(Report::Kind::peer_joined).size() == 1);
}

TEST_CASE("on a calm wire a peer is lost after the least silence, however much would be allowed") {
  Listener listener(milliseconds(1500));
  for (int beat = 0; beat < 50; ++beat) {
    CHECK_FALSE(listener.loses_in(milliseconds(150)));
    listener.hear();
  }
  CHECK_FALSE(listener.loses_in(milliseconds(390)));
  CHECK(listener.loses_in(milliseconds(20)));
}

TEST_CASE("a peer whose words come with gaps is allowed twice the longest, until that has faded") {
  Listener listener(milliseconds(1500));
  CHECK_FALSE(listener.loses_in(milliseconds(350)));
  listener.hear();
  SUBCASE("twice the gap") {
    CHECK_FALSE(listener.loses_in(milliseconds(690)));
    CHECK(listener.loses_in(milliseconds(20)));
  }
  SUBCASE("a calm minute later as if it had never been") {
    for (int beat = 0; beat < 600; ++beat) {
      CHECK_FALSE(listener.loses_in(milliseconds(100)));
      listener.hear();
    }
    CHECK_FALSE(listener.loses_in(milliseconds(390)));
    CHECK(listener.loses_in(milliseconds(20)));
  }
}

TEST_CASE("no gap allows more silence than the most, and none more where the most is the least") {
  for (const int most : {400, 600}) {
    CAPTURE(most);
    Listener listener{milliseconds(most)};
    CHECK_FALSE(listener.loses_in(milliseconds(390)));
    listener.hear();
    CHECK_FALSE(listener.loses_in(milliseconds(most - 10)));
    CHECK(listener.loses_in(milliseconds(20)));
  }
}

TEST_CASE(
    "a peer that was lost a little too soon teaches patience, one that hung or died does not") {
  struct Case {
    milliseconds silence;
    uint32_t life;
    bool teaches;
  };
  for (const Case& each : {Case{milliseconds(700), 1, true}, Case{milliseconds(700), 2, false},
                           Case{milliseconds(1000), 1, false}}) {
    CAPTURE(each.silence.count());
    CAPTURE(each.life);
    Listener listener(milliseconds(1500));
    CHECK(listener.loses_in(each.silence));
    Hello back;
    back.life = each.life;
    back.session = 5;
    back.answers = 2;
    back.credit_bytes = 1 << 20;
    back.compute_slots = 1;
    Envelope envelope;
    envelope.from = NodeId{1};
    envelope.life = each.life;
    listener.node.give(MessageReceived{envelope, back, 0});
    REQUIRE(listener.node.reports(Report::Kind::peer_joined).size() == 1);
    CHECK(listener.loses_in(milliseconds(500)) == !each.teaches);
  }
}

TEST_CASE("a pause of this node is no silence of the others: their words lie in front of it") {
  Listener listener(milliseconds(1500));
  CHECK_FALSE(listener.loses_in(milliseconds(90)));
  listener.hear();
  listener.node.wait(milliseconds(1000));
  SUBCASE("and make nobody more patient, whether they or the alarm come first") {
    listener.hear();
    CHECK_FALSE(listener.loses_in(milliseconds(390)));
    CHECK(listener.loses_in(milliseconds(20)));
    return;
  }
  listener.node.give(Woken{});
  CHECK(listener.node.reports(Report::Kind::peer_lost).empty());
  SUBCASE("what was said is heard now") {
    listener.hear();
    CHECK_FALSE(listener.loses_in(milliseconds(390)));
  }
  SUBCASE("who has said nothing is lost a little later") {
    CHECK(listener.loses_in(milliseconds(400)));
  }
}

}  // namespace
}  // namespace shingle
