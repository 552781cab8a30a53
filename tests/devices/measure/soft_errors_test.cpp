// One flipped bit: what it does is what a network with that bit flipped computes, and nothing of it
// stays.
#include "devices/measure/soft_errors.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

using Values = std::vector<std::vector<float>>;

WholeInputs bytes_of_map(const Map& map) {
  const auto bytes = std::as_bytes(std::span(map.values));
  return {{bytes.begin(), bytes.end()}};
}

bool same_bits(const Values& a, const Values& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0)
      return false;
  return true;
}

Values values_of(const std::vector<Map>& maps) {
  Values all;
  for (const Map& map : maps) all.push_back(map.values);
  return all;
}

// What the executor as it is used puts out with that bit flipped in its weights: an oracle that
// shares no step with SoftErrors.
Values with_flipped_weight(const Model& model, const std::vector<Map>& inputs, const Flip& flip) {
  NativeExecutor executor;
  const TileProgram program = whole_program(model);
  REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
  for (const NativeExecutor::Weights& weights : executor.weights()) {
    if (weights.layer != flip.layer) continue;
    const size_t byte = static_cast<size_t>(flip.word) * 4 + static_cast<size_t>(flip.bit) / 8;
    weights.bytes[byte] ^= static_cast<std::byte>(1U << flip.bit % 8);
  }
  return values_of(run_whole(executor, model, inputs));
}

}  // namespace

TEST_CASE("Without a flip the outputs are those of the whole network in one pass") {
  for (const char* name : {"tiny", "resnet18", "mobilenetv2", "unet"}) {
    CAPTURE(name);
    const Model model = networks::make(name, 64).value();
    const std::vector<Map> inputs = random_inputs(model, 5);
    auto errors = SoftErrors::make(model, 1);
    REQUIRE(errors.ok());
    REQUIRE(errors->take(bytes_of_map(inputs[0])).ok());
    NativeExecutor executor;
    CHECK(same_bits(errors->clean_outputs(), values_of(run_whole(executor, model, inputs))));
  }
}

TEST_CASE("A flipped weight gives the outputs of a network that has it, and checksums find it" *
          doctest::test_suite("long")) {
  const Model model = networks::make("resnet18", 64).value();
  const std::vector<Map> inputs = random_inputs(model, 5);
  auto errors = SoftErrors::make(model, 1);
  REQUIRE(errors.ok());
  REQUIRE(errors->take(bytes_of_map(inputs[0])).ok());
  int tried = 0;
  for (uint32_t layer = 0; layer < model.layers.size(); layer += 3) {
    if (errors->words(Flip::Place::weight, {layer}) == 0) continue;
    for (const int bit : {31, 27, 20}) {
      const Flip flip{.place = Flip::Place::weight, .layer = {layer}, .word = 9, .bit = bit};
      CAPTURE(layer);
      CAPTURE(bit);
      const auto outcome = errors->flip(flip);
      REQUIRE(outcome.ok());
      CHECK(outcome->found_by_checksum);
      const Values expected = with_flipped_weight(model, inputs, flip);
      CHECK(outcome->other_outputs == !same_bits(expected, errors->clean_outputs()));
      if (outcome->other_outputs) CHECK(same_bits(outcome->outputs, expected));
      ++tried;
    }
  }
  CHECK(tried >= 12);
}

TEST_CASE("A flip leaves nothing behind: the same one does the same again, after any other") {
  const Model model = networks::make("mobilenetv2", 64).value();
  const std::vector<Map> inputs = random_inputs(model, 5);
  auto errors = SoftErrors::make(model, 1);
  REQUIRE(errors.ok());
  REQUIRE(errors->take(bytes_of_map(inputs[0])).ok());
  const Values clean = errors->clean_outputs();
  const Flip sign{.place = Flip::Place::weight, .layer = {4}, .word = 0, .bit = 31};
  const auto first = errors->flip(sign);
  REQUIRE(first.ok());
  const auto other = errors->flip({.place = Flip::Place::map, .layer = {2}, .word = 7, .bit = 30});
  REQUIRE(other.ok());
  CHECK_FALSE(other->found_by_checksum);
  const auto again = errors->flip(sign);
  REQUIRE(again.ok());
  CHECK(again->other_outputs == first->other_outputs);
  CHECK(same_bits(again->outputs, first->outputs));
  REQUIRE(errors->take(bytes_of_map(inputs[0])).ok());
  CHECK(same_bits(errors->clean_outputs(), clean));
}

TEST_CASE("A bit that flips in an output map is seen there, and nowhere else") {
  const Model model = networks::make("tiny", 48).value();
  const std::vector<Map> inputs = random_inputs(model, 5);
  auto errors = SoftErrors::make(model, 1);
  REQUIRE(errors.ok());
  REQUIRE(errors->take(bytes_of_map(inputs[0])).ok());
  uint32_t last = 0;
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer)
    if (model.layers[layer].output == model.outputs[0].tensor) last = layer;
  const auto outcome =
      errors->flip({.place = Flip::Place::map, .layer = {last}, .word = 11, .bit = 31});
  REQUIRE(outcome.ok());
  REQUIRE(outcome->other_outputs);
  const Values& clean = errors->clean_outputs();
  for (size_t i = 0; i < clean[0].size(); ++i)
    CHECK(outcome->outputs[0][i] == (i == 11 ? -clean[0][i] : clean[0][i]));
}

}  // namespace shingle::tests
