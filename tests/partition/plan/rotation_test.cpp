// Rotations: which turn gets the next frame, which shares fit which speeds, and the text.
#include "partition/plan/rotation.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "partition/search/planner.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

Model small_model() {
  Random random(5);
  return networks::random_model(random);
}

// Whole frames on nodes 0, 1, ...
Rotation whole_frames(const Model& model, const std::vector<int32_t>& shares) {
  Rotation rotation;
  for (uint32_t i = 0; i < shares.size(); ++i)
    rotation.push_back({single_plan(model, NodeId{i}), shares[i]});
  return rotation;
}

std::vector<size_t> dealt(Dealer& dealer, size_t frames, const std::vector<bool>& may) {
  std::vector<size_t> turns;
  for (size_t i = 0; i < frames; ++i) turns.push_back(dealer.next(may));
  return turns;
}

void refuses(const std::string& text, const std::string& expected) {
  const auto rotation = parse_rotation(text);
  REQUIRE_FALSE(rotation.ok());
  INFO(rotation.error());
  CHECK(rotation.error().find(expected) != std::string::npos);
  CHECK(rotation.failure().kind == ErrorKind::bad_input);
}

}  // namespace

TEST_CASE("frames are dealt by shares, as evenly as possible, in every round") {
  const Model model = small_model();
  Dealer dealer(whole_frames(model, {4, 2}));
  CHECK(dealt(dealer, 12, {true, true}) == std::vector<size_t>{0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0});
  CHECK(round_of(whole_frames(model, {3, 1})) == std::vector<size_t>{0, 0, 1, 0});
}

TEST_CASE("in any part of a round no turn is more than one frame away from its share") {
  const Model model = small_model();
  Random random(11);
  for (int round = 0; round < 50; ++round) {
    INFO("seed 11, round " << round);
    std::vector<int32_t> shares;
    for (int i = random.between(1, 6); i > 0; --i) shares.push_back(random.between(1, 9));
    const std::vector<size_t> turns = round_of(whole_frames(model, shares));
    std::vector<int32_t> had(shares.size(), 0);
    for (size_t frame = 0; frame < turns.size(); ++frame) {
      ++had[turns[frame]];
      for (size_t i = 0; i < shares.size(); ++i) {
        const double due = double(shares[i]) * double(frame + 1) / double(turns.size());
        CHECK(std::abs(had[i] - due) < 2.0);
      }
    }
    CHECK(had == shares);
  }
}

TEST_CASE(
    "a turn that is left out gets no frames and the others get theirs in proportion; if all are "
    "left out, all get frames") {
  Dealer dealer(whole_frames(small_model(), {2, 1, 1}));
  CHECK(dealt(dealer, 6, {true, false, true}) == std::vector<size_t>{0, 2, 0, 0, 2, 0});
  CHECK(dealt(dealer, 4, {false, false, false}).size() == 4);
  std::vector<size_t> turns = dealt(dealer, 40, {true, true, true});
  CHECK(std::count(turns.begin(), turns.end(), size_t{1}) == 10);
}

TEST_CASE("shares follow speeds, in the shortest round that fits them") {
  CHECK(shares_for({1.0, 1.0, 1.0}, 64) == std::vector<int32_t>{1, 1, 1});
  CHECK(shares_for({2.0, 1.0}, 64) == std::vector<int32_t>{2, 1});
  CHECK(shares_for({1.0, 1.0, 0.25}, 64) == std::vector<int32_t>{4, 4, 1});
  CHECK(shares_for({3.0, 2.25}, 64) == std::vector<int32_t>{4, 3});
  CHECK(shares_for({1.0, 0.001}, 8) ==
        std::vector<int32_t>{7, 1});  // every turn gets at least one frame
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    INFO("seed 3, round " << round);
    std::vector<double> speeds;
    for (int i = random.between(1, 6); i > 0; --i) speeds.push_back(random.between(20, 100));
    const std::vector<int32_t> shares = shares_for(speeds, 64);
    double longest = 0.0;
    for (size_t i = 0; i < speeds.size(); ++i) longest = std::max(longest, shares[i] / speeds[i]);
    const double done = std::accumulate(shares.begin(), shares.end(), 0.0);
    const double could = longest * std::accumulate(speeds.begin(), speeds.end(), 0.0);
    CHECK(done >= 0.93 * could);
  }
}

TEST_CASE("a rotation's text reads as what was printed; one plan's is the plan's own") {
  const Model model = small_model();
  const Rotation alone = whole_frames(model, {1});
  CHECK(print(alone) == print(alone[0].plan));
  for (const Rotation& rotation :
       {alone, whole_frames(model, {3, 1, 2}), whole_frames(model, {7})}) {
    const auto again = parse_rotation(print(rotation));
    REQUIRE_MESSAGE(again.ok(), again.error());
    CHECK(*again == rotation);
  }
}

TEST_CASE("a hostile rotation is refused with the plan and its line") {
  const std::string one = print(whole_frames(small_model(), {1}));
  refuses("", "line 1: the text ends here without 'end'");
  refuses(one + "nonsense\n", "plan 2, plan text, line 1: expected 'shingle plan 1'");
  refuses(one + "share 3\n", "plan 2, plan text, line 1");
  for (const char* share : {"share 1\n", "share 65\n", "share -2\n", "share x\n", "share 2"})
    refuses(share + one, "expected 'share N' with N from 2 to 64");
  std::string many;
  for (size_t i = 0; i <= max_turns; ++i) many += one;
  refuses(many, "there are more than 8 plans");
}

TEST_CASE(
    "plans with other algorithms, of another model, repeated, or on unknown nodes are defects") {
  const Model model = networks::make("yolov2_front", 64).value();
  const Rotation sound = whole_frames(model, {1, 2});
  CHECK(defects(sound, model, {}).empty());
  CHECK(homes(sound) == std::vector<NodeId>{{0}, {1}});
  const auto first_of = [&](const Rotation& rotation, const std::vector<NodeId>& members) {
    const auto wrong = defects(rotation, model, members);
    REQUIRE_FALSE(wrong.empty());
    return wrong.front();
  };
  Rotation other = sound;
  other[1].plan = single_plan(model, {1}, WinogradUse::never);
  CHECK(first_of(other, {}).find("plan 2 of 2: it computes layers with other algorithms") == 0);
  Rotation twice = sound;
  twice[1].plan = twice[0].plan;
  CHECK(first_of(twice, {}).find("plan 2 of 2: it is plan 1 once more") == 0);
  CHECK(first_of(sound, {{0}}).find("plan 2 of 2: ") == 0);
  const Rotation strange = whole_frames(small_model(), {1});
  CHECK(first_of(strange, {}).find("the plan was made for another model") == 0);
  CHECK(first_of({}, {}) == "there is no plan");
}
