// The canonical text: it round-trips, and hostile text is refused with the number of the wrong
// line.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "partition/plan/plan.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

const std::string zeros(64, '0');

std::string sample() {
  return "shingle plan 1\n"
         "model " +
         zeros +
         "\n"
         "wire 4 u8 0\n"
         "predicted latency_ns 4 period_ns 3 wire_bytes 2 peak_bytes 1\n"
         "block layers 0..2 3..4\n"
         "tile 0 home 7 macs 100 peak_bytes 200\n"
         "in 0 y 0..4 x 0..5 c 0..3\n"
         "out 3 y 0..2 x 0..3 c 0..8\n"
         "end\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void refuses(const std::string& text, const std::string& expected) {
  const Result<Plan> plan = parse_plan(text);
  REQUIRE_FALSE(plan.ok());
  INFO(plan.error());
  CHECK(plan.error().find(expected) != std::string::npos);
  CHECK(plan.failure().kind == ErrorKind::bad_input);
}

}  // namespace

TEST_CASE("a plan's text says what the plan says") {
  const Result<Plan> plan = parse_plan(sample());
  REQUIRE(plan.ok());
  CHECK(plan->predicted == Prediction{Duration(4), Duration(3), 2, 1});
  CHECK(plan->wire ==
        std::vector{WireFormat::u8, WireFormat::f32, WireFormat::f32, WireFormat::f32});
  REQUIRE(plan->blocks.size() == 1);
  CHECK(layer_ids(plan->blocks[0]) == std::vector<LayerId>{{0}, {1}, {3}});
  REQUIRE(plan->blocks[0].tiles.size() == 1);
  const Tile& tile = plan->blocks[0].tiles[0];
  CHECK(tile.home == NodeId{7});
  CHECK(tile.inputs == std::vector<Slice>{{{0}, {{0, 4}, {0, 5}, {0, 3}}}});
  CHECK(tile.outputs == std::vector<Slice>{{{3}, {{0, 2}, {0, 3}, {0, 8}}}});
  CHECK(print(*plan) == sample());
}

TEST_CASE("what is printed is read back equal") {
  Random random(20);
  for (int round = 0; round < 200; ++round) {
    const Model model = networks::random_model(random);
    const Plan plan = random_plan(random, model);
    const Result<Plan> again = parse_plan(print(plan));
    REQUIRE(again.ok());
    REQUIRE(*again == plan);
  }
}

TEST_CASE("a plan that keeps weights at home says so, and is another plan by its hash") {
  const Result<Plan> everywhere = parse_plan(sample());
  REQUIRE(everywhere.ok());
  Plan at_home = *everywhere;
  at_home.weights = WeightPlaces::at_home;
  const Result<Plan> read = parse_plan(print(at_home));
  REQUIRE(read.ok());
  CHECK(*read == at_home);
  CHECK(hash_of(at_home) != hash_of(*everywhere));
  refuses(replaced(print(at_home), "weights at_home", "weights nowhere"),
          "line 3: expected 'weights at_home'");
}

TEST_CASE("extreme numbers survive the text") {
  Plan plan;
  plan.wire.resize(1);
  plan.blocks.push_back({.layers = {{UINT32_MAX}, {5}, {4}}, .tiles = {}});
  plan.blocks.push_back({});
  plan.blocks[0].tiles.push_back({.id = {UINT32_MAX},
                                  .inputs = {{{3}, {{INT32_MIN, INT32_MAX}, {-1, -5}, {0, 0}}}},
                                  .outputs = {},
                                  .home = {UINT32_MAX},
                                  .macs = INT64_MIN,
                                  .peak_bytes = INT64_MAX});
  const Result<Plan> again = parse_plan(print(plan));
  REQUIRE(again.ok());
  CHECK(*again == plan);
}

namespace {

std::string with_image(const std::string& numbers) {
  return replaced(sample(), "wire", "image of " + zeros + numbers + "\nwire");
}

}  // namespace

TEST_CASE("how a model takes an image survives the text to the last bit") {
  Random random(22);
  for (int round = 0; round < 2000; ++round) {
    Plan plan;
    plan.image.emplace();
    for (int32_t channels = random.between(1, 4); channels > 0; --channels) {
      const auto any = [&] {
        float value = NAN;
        while (!std::isfinite(value))
          value = std::bit_cast<float>(static_cast<uint32_t>(random.next()));
        return value;
      };
      plan.image->scale.push_back(any());
      plan.image->offset.push_back(any());
    }
    const Result<Plan> again = parse_plan(print(plan));
    REQUIRE(again.ok());
    REQUIRE(again->image == plan.image);
    REQUIRE(hash_of(*again) == hash_of(plan));
    plan.image->offset[0] += 1.0F + std::abs(plan.image->offset[0]);
    REQUIRE(hash_of(*again) != hash_of(plan));
  }
}

TEST_CASE("an image's numbers are finite, as many of each, and not many") {
  CHECK(parse_plan(with_image(" scale 1 0.5 -2e-3 offset 0 1 -0")).ok());
  for (const char* numbers : {"", " scale", " scale 1", " scale offset", " scale 1 offset",
                              " scale 1 offset 1 2", " scale inf offset 1", " scale 1 offset nan",
                              " scale 1 offset -inf", " scale 1e99 offset 1", " scale 1  offset 1",
                              " scale 1 offset 1 ", " scale 1 offset 1 x", "0 scale 1 offset 1"})
    refuses(with_image(numbers), "line 3: expected 'image of");
  std::string many;
  for (int i = 0; i < 17; ++i) many += " 1";
  refuses(with_image(" scale" + many + " offset" + many), "line 3: expected 'image of");
}

TEST_CASE("hostile text is refused with its line") {
  refuses("", "line 1: the text ends here");
  refuses("shingle plan 2\n", "line 1: expected 'shingle plan 1'");
  refuses(replaced(sample(), "model 0", "model g"), "line 2: a model hash has 64 hex digits");
  refuses(replaced(sample(), "model 0", "model "), "line 2: a model hash has 64 hex digits");
  refuses(replaced(sample(), "wire 4", "wire 99999999999"), "line 3: a plan has at most");
  refuses(replaced(sample(), "wire 4", "wire -4"), "line 3: expected 'wire");
  refuses(replaced(sample(), "u8 0", "u8 4"), "line 3: tensor 4 is not in the plan");
  refuses(replaced(sample(), "latency_ns 4", "latency_ns four"), "line 4: expected 'predicted");
  refuses(replaced(sample(), "0..2", "2..0"), "line 5: expected layers");
  refuses(replaced(sample(), "0..2", "0..4294967295"), "line 5: a plan has at most 1048576 layers");
  refuses(replaced(sample(), "0..2", "0..99999999999999999999"), "line 5: expected layers");
  refuses(replaced(sample(), "3..4\n", "3..4 winograd 2..3\n"),
          "line 5: layer 2 is listed after 'winograd', but the block does not hold it");
  refuses(replaced(sample(), "3..4\n", "3..4 winograd 3..4 0..1\n"), "line 5: layer 0 is listed");
  refuses(replaced(sample(), "tile 0", "tile x"), "line 6: expected 'tile ID");
  refuses(replaced(sample(), "peak_bytes 200", "peak_bytes 200 "), "line 6: expected 'tile ID");
  refuses(replaced(sample(), "block layers 0..2 3..4\n", ""), "line 5: a tile stands before");
  refuses(replaced(sample(), "y 0..4", "y 0..2147483648"), "line 7: expected a tensor id");
  refuses(replaced(sample(), "end\n", ""), "line 9: the text ends here without 'end'");
  refuses(sample() + "tile", "line 10: text after 'end'");
  refuses(replaced(sample(), "in 0 y", "out 0 y 0..1 x 0..1 c 0..1\nin 0 y"),
          "line 8: 'in' stands after");
  refuses(replaced(sample(), "out 3", "rm 3"), "line 8: expected 'block', 'tile'");
  refuses(std::string(17 << 20, '\n'), "longer than 16 MiB");
}

TEST_CASE("the largest possible layer id is not followed by layer 0") {
  const Result<Plan> plan = parse_plan(replaced(sample(), "0..2", "4294967295..4294967296 0..2"));
  REQUIRE(plan.ok());
  const Result<Plan> again = parse_plan(print(*plan));
  REQUIRE(again.ok());
  CHECK(*again == *plan);
}

TEST_CASE("too many tiles are refused before they fill the memory") {
  std::string text = replaced(sample(), "end\n", "");
  for (int i = 0; i < 20'000; ++i) text += "tile 0 home 0 macs 0 peak_bytes 0\n";
  refuses(text + "end\n", "a plan has at most 4096 tiles");
}

TEST_CASE("no mutation of a text crashes, and what is taken prints as it was meant") {
  Random random(21);
  const std::string good = print(grid_plan(chain(12), equal_nodes(2), {{}, {2, 2}}));
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    const int changes = random.between(1, 3);
    for (int i = 0; i < changes; ++i) {
      const auto at = static_cast<size_t>(random.between(0, static_cast<int32_t>(text.size()) - 1));
      const std::string pool = "0123456789 .-\nabcdefghijklmnopqrstuvwxyz";
      const auto pick =
          static_cast<size_t>(random.between(0, static_cast<int32_t>(pool.size()) - 1));
      if (random.chance(0.7))
        text[at] = pool[pick];
      else if (random.chance(0.5))
        text.erase(at, 1);
      else
        text.resize(at + 1);
    }
    const Result<Plan> plan = parse_plan(text);
    if (!plan.ok()) {
      REQUIRE(plan.error().find("line ") != std::string::npos);
      continue;
    }
    const Result<Plan> again = parse_plan(print(*plan));
    REQUIRE(again.ok());
    REQUIRE(*again == *plan);
  }
}
