// Recurrent layers on our kernel: the same bits in any tile and on any number of threads, close to
// the reference; in plain loops where the kernel lacks an activation.
#include <doctest/doctest.h>

#include <cmath>

#include "devices/layers/kernel_kind.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/native/native_footprint.hpp"
#include "partition/model/shape.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

using Kind = Recurrence::Kind;

struct Net {
  Kind kind = Kind::lstm;
  int32_t sequences = 1, steps = 9, hidden = 20;
  bool backward = false, first_state = false, reset_after = false;
  std::vector<int32_t> lengths{};
  Activation after{};
  Activation::Kind function = Activation::Kind::tanh;
};

std::vector<float> small_values(int64_t count, int32_t hidden, uint64_t seed) {
  std::vector<float> values = random_values(count, seed);
  for (float& value : values) value /= std::sqrt(static_cast<float>(hidden));
  return values;
}

Model model_of(const Net& net) {
  Model model;
  const int32_t gates = gates_of(net.kind) * net.hidden;
  const int32_t state = net.kind == Kind::lstm ? 2 * net.hidden : net.hidden;
  std::vector<TensorId> inputs{add_input(model, "gates", {net.sequences, net.steps, gates})};
  if (net.first_state) inputs.push_back(add_input(model, "first", {net.sequences, 1, state}));
  Recurrence op;
  op.kind = net.kind;
  op.hidden = net.hidden;
  op.backward = net.backward;
  op.reset_after = net.reset_after;
  op.lengths = net.lengths;
  const int64_t weights = int64_t{gates} * net.hidden;
  op.weights = add_constant(model, small_values(weights, net.hidden, 3));
  if (net.reset_after) op.state_bias = add_constant(model, random_values(net.hidden, 4));
  if (net.kind == Kind::lstm) op.peepholes = add_constant(model, random_values(3 * net.hidden, 5));
  op.activations.fill({.kind = Activation::Kind::sigmoid});
  (net.kind == Kind::rnn ? op.activations[0] : op.activations[1]).kind = net.function;
  op.activations[2].kind = Activation::Kind::tanh;
  add_output(model, "out", add_layer(model, "recurrence", op, inputs, net.after));
  return model;
}

// Narrow and wide ones (whose threads share each step), one sequence and several.
std::vector<Net> nets() {
  std::vector<Net> all;
  for (const Kind kind : {Kind::rnn, Kind::gru, Kind::lstm}) {
    for (const bool backward : {false, true}) {
      all.push_back({.kind = kind, .backward = backward});
      all.push_back({.kind = kind,
                     .sequences = 4,
                     .backward = backward,
                     .first_state = true,
                     .lengths = {9, 0, 4, 7},
                     .after = {.kind = Activation::Kind::relu}});
      all.push_back({.kind = kind, .steps = 40, .hidden = 300, .backward = backward});
    }
  }
  all.push_back({.kind = Kind::gru, .steps = 30, .hidden = 192, .reset_after = true});
  all.push_back({.kind = Kind::gru, .sequences = 3, .hidden = 33, .reset_after = true});
  all.push_back({.kind = Kind::lstm, .sequences = 9, .steps = 12, .hidden = 160});
  all.push_back({.kind = Kind::gru,
                 .sequences = 5,
                 .first_state = true,
                 .function = Activation::Kind::softplus});
  all.push_back({.kind = Kind::lstm, .sequences = 1, .function = Activation::Kind::elu});
  all.push_back({.sequences = 30, .steps = 1, .hidden = 20});
  return all;
}

}  // namespace

TEST_CASE("A tile of a recurrent layer has the whole one's bits, on any number of threads") {
  uint64_t seed = 1;
  for (const Net& net : nets()) {
    CAPTURE(seed);
    const Model model = model_of(net);
    const std::vector<Map> inputs = random_inputs(model, seed);
    networks::Random random(seed++);
    const Map expected = run_whole(*make_executor(true), model, inputs)[0];
    const TensorId out = model.outputs[0].tensor;
    for (const int threads : {1, 2, 3}) {
      NativeExecutor executor({.threads = threads});
      for (int i = 0; i < 6; ++i) {
        const Region part = i == 0 ? expected.region : random_region(random, model.at(out).shape);
        const TileProgram tile = tile_program(model, whole_block(model), {{out, part}});
        REQUIRE(executor.prepare(model, std::span(&tile, 1)).ok());
        CAPTURE(threads);
        CAPTURE(to_string(part));
        for (int frame = 0; frame < 2; ++frame)
          CHECK(differing_bytes(run(executor, model, tile, inputs)[0], expected) == 0);
        executor.forget(std::span(&tile, 1));
      }
    }
  }
}

TEST_CASE("Recurrent layers on our kernel agree with the reference") {
  uint64_t seed = 50;
  for (const Net& net : nets()) {
    CAPTURE(seed);
    const Model model = model_of(net);
    const std::vector<Map> inputs = random_inputs(model, seed++);
    const Map reference = run_whole(*make_executor(false), model, inputs)[0];
    const Map own = run_whole(*make_executor(true), model, inputs)[0];
    NativeExecutor on_xnnpack({.threads = 1, .kernels = NativeOptions::Kernels::xnnpack});
    CHECK(relative_error(own, reference) < 1e-5);
    CHECK(differing_bytes(own, run_whole(on_xnnpack, model, inputs)[0]) == 0);
  }
}

TEST_CASE("Tiles of the reference have the whole's bits too") {
  uint64_t seed = 90;
  for (const Net& net : nets()) {
    if (net.hidden > 100) continue;
    CAPTURE(seed);
    const Model model = model_of(net);
    const std::vector<Map> inputs = random_inputs(model, seed);
    networks::Random random(seed++);
    const std::unique_ptr<Executor> reference = make_executor(false);
    const Map expected = run_whole(*reference, model, inputs)[0];
    for (int i = 0; i < 8; ++i) {
      const TileProgram tile = random_tile(random, model);
      REQUIRE(reference->prepare(model, std::span(&tile, 1)).ok());
      CHECK(differing_bytes(run(*reference, model, tile, inputs)[0], expected) == 0);
    }
  }
}

TEST_CASE("A recurrent layer's weights are packed once, counted, and watched") {
  const Model model = model_of({.steps = 3, .hidden = 64});
  NativeExecutor executor({.threads = 1});
  const TileProgram program = whole_program(model);
  const TileProgram half = tile_program(model, whole_block(model),
                                        {{model.outputs[0].tensor, {{0, 1}, {0, 2}, {0, 64}}}});
  REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
  const int64_t held = executor.memory().packed_bytes;
  CHECK(held >= 4 * 4 * 64 * 64);
  REQUIRE(executor.prepare(model, std::span(&half, 1)).ok());
  CHECK(executor.memory().packed_bytes == held);
  CHECK(executor.check_weights(1.0).ok());
  REQUIRE(executor.weights().size() == 1);
  executor.weights()[0].bytes[1000] ^= std::byte{4};
  CHECK(!executor.check_weights(1.0).ok());
}

TEST_CASE("The footprint of a recurrent layer is what the executor holds") {
  for (const Net& net : {Net{.sequences = 6, .steps = 5, .hidden = 100},
                         Net{.sequences = 6, .hidden = 40, .function = Activation::Kind::elu}}) {
    const Model model = model_of(net);
    const TileProgram program = whole_program(model);
    NativeExecutor executor({.threads = 1});
    REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
    static_cast<void>(run(executor, model, program, random_inputs(model, 1)));
    const Footprint footprint = native_footprint(1);
    const int64_t packed = footprint.weights(model, program.steps[0]);
    const int64_t scratch = footprint.pass(model, program).scratch_bytes;
    CHECK(executor.memory().packed_bytes <= packed + packed / 8);
    CHECK(executor.memory().packed_bytes >= packed - packed / 8);
    CHECK(scratch > 0);
    CHECK(executor.memory().scratch_bytes <= scratch + 4096);
  }
}

TEST_CASE("A recurrent layer is called by its kernel's name") {
  const Model ours = model_of({});
  const Model plain = model_of({.function = Activation::Kind::softplus});
  CHECK(kernel_kind(ours, ours.layers[0], Algorithm::direct) == KernelKind::recurrent);
  CHECK(kernel_kind(plain, plain.layers[0], Algorithm::direct) == KernelKind::plain);
  CHECK(!why_slow(plain, plain.layers[0], KernelKind::plain).empty());
}

}  // namespace shingle::tests
