// A paced executor against a board that is simulated by hand: time here is a number that the test
// moves, so nothing sleeps.
#include "devices/measure/pace.hpp"

#include <doctest/doctest.h>

#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// Waits end when they should, or `late` after.
struct HandClock {
  nanoseconds time{0}, late{0};
  PaceClock clock() {
    return {.now = [this] { return time; },
            .wait_until = [this](nanoseconds until) { time = until + late; }};
  }
};

// A board of one GFLOP/s: 500'000 MACs take a millisecond.
struct Bench {
  HandClock hand;
  Pacer pacer{{.gflops = 1.0}, hand.clock()};

  // A tile that this machine computes in `computing` and the board in `board`; returns its end.
  nanoseconds tile(nanoseconds computing, std::chrono::milliseconds board) {
    const nanoseconds begin = pacer.now();
    hand.time += computing;
    pacer.finish(begin, board.count() * 500'000);
    return hand.time;
  }
};

}  // namespace

TEST_CASE("a tile ends when the slower board would have ended it") {
  Bench bench;
  CHECK(bench.tile(2ms, 10ms) == 10ms);
  CHECK(bench.tile(9ms, 10ms) == 20ms);
  CHECK(bench.pacer.report().overruns == 0);
  CHECK(bench.pacer.report().charged == 20ms);
}

TEST_CASE("a late tile shortens the next wait, so that the sum is the board's") {
  Bench bench;
  CHECK(bench.tile(25ms, 10ms) == 25ms);  // the board would have ended it at 10
  CHECK(bench.tile(2ms, 10ms) == 27ms);   // at 20, 7 late
  CHECK(bench.tile(2ms, 10ms) == 30ms);   // at 30: the debt is paid
  CHECK(bench.tile(2ms, 10ms) == 40ms);   // and does not turn into credit
  CHECK(bench.pacer.report().overruns == 1);
  CHECK(bench.pacer.report().most_debt == 15ms);
}

TEST_CASE("timers that wake late do not add up") {
  Bench bench;
  bench.hand.late = 300us;
  for (int tile = 1; tile <= 50; ++tile) CHECK(bench.tile(1ms, 4ms) == tile * 4ms + 300us);
  CHECK(bench.pacer.report().overruns == 0);
}

TEST_CASE("debt is paid off while nothing is to be computed, for the board would have idled too") {
  Bench bench;
  CHECK(bench.tile(15ms, 10ms) == 15ms);  // 5 late
  bench.hand.time += 3ms;                 // idle: 2 of debt are left
  CHECK(bench.tile(1ms, 10ms) == 26ms);   // 18 - 2 + 10
  bench.hand.time += 100ms;
  CHECK(bench.tile(1ms, 10ms) == 136ms);
}

TEST_CASE("never faster than the board, whatever happens when, and every overrun is counted") {
  constexpr uint64_t seed = 17;
  CAPTURE(seed);
  networks::Random random(seed);
  for (int run = 0; run < 50; ++run) {
    Bench bench;
    int64_t overruns = 0;
    nanoseconds free{0};  // when the board would have ended the tile before
    for (int tile = 0; tile < 100; ++tile) {
      bench.hand.time += random.chance(0.5) ? 0ms : std::chrono::milliseconds(random.between(0, 9));
      bench.hand.late = std::chrono::microseconds(random.between(0, 500));
      const auto board = std::chrono::milliseconds(random.between(3, 20));
      const auto computing = std::chrono::milliseconds(random.between(1, 25));
      overruns += computing > board + 1ms ? 1 : 0;
      const nanoseconds ended = bench.tile(computing, board);
      free = std::max(free + board, nanoseconds(0));
      CHECK(ended >= free);
    }
    CHECK(bench.pacer.report().overruns == overruns);
    CHECK(bench.pacer.report().tiles == 100);
  }
}

TEST_CASE("slowed by a factor, a tile takes so many times longer than it took") {
  HandClock hand;
  Pacer pacer({.slowness = 4.0}, hand.clock());
  hand.time = 5ms;
  pacer.finish(0ms, 1000);
  CHECK(hand.time == 20ms);
}

TEST_CASE("every MAC that is computed is charged, halo and rounding included") {
  // Given two 3x3 layers, of which a tile wants 4 rows in the middle
  Model model;
  const TensorId input = add_input(model, "in", {16, 16, 4});
  const auto weights = [&] { return add_constant(model, std::vector<float>(8 * 8 * 9, 1.0F)); };
  const auto half = [&] { return add_constant(model, std::vector<float>(8 * 4 * 9, 1.0F)); };
  const Window same{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const TensorId middle = add_layer(
      model, "first", Convolution{.y = same, .x = same, .weights = half(), .bias = {}}, {input});
  const TensorId last = add_layer(
      model, "last", Convolution{.y = same, .x = same, .weights = weights(), .bias = {}}, {middle});
  add_output(model, "out", last);
  const FusedBlock block{.layers = {{0}, {1}}, .tiles = {}};
  const TileProgram program = tile_program(model, block, {{last, {{6, 10}, {0, 16}, {0, 8}}}});
  // Then the first layer's six rows count, and with a granule of four rows, eight and eight
  struct Coarse final : Executor {
    Granule each;
    std::string name() const override { return "coarse"; }
    std::string arithmetic_class() const override { return "coarse"; }
    Status prepare(const Model&, std::span<const TileProgram>) override { return success(); }
    Status compute(const TileProgram&, std::span<const ConstTensorView>,
                   std::span<const TensorView>) override {
      return success();
    }
    Granule granule(const Model&, LayerId) const override { return each; }
    Memory memory() const override { return {}; }
  } executor;
  const int64_t first_row = 16 * 8 * 4 * 9, last_row = 16 * 8 * 8 * 9;
  CHECK(computed_macs(executor, model, program) == 6 * first_row + 4 * last_row);
  executor.each = {.y = 4, .x = 1, .c = 1};
  CHECK(computed_macs(executor, model, program) == 8 * first_row + 8 * last_row);
  executor.each = {.y = 100, .x = 1, .c = 1};  // never more than the map
  CHECK(computed_macs(executor, model, program) == 16 * first_row + 16 * last_row);
  // and a Winograd layer its grid of four rows
  executor.each = {};
  TileProgram grid = program;
  grid.steps[1].algorithm = Algorithm::winograd4;
  CHECK(computed_macs(executor, model, grid) == 6 * first_row + 8 * last_row);
}

TEST_CASE("a paced executor computes the same bits and charges its tiles") {
  const Model model = convolution_model(
      {12, 12, 4}, {.y = square(3), .x = square(3), .outputs = 8, .activation = {}}, 3);
  const std::vector<Map> inputs = random_inputs(model, 5);
  const auto bare = make_executor(false);
  HandClock hand;
  Pacer pacer({.gflops = 1.0}, hand.clock());
  PacedExecutor paced(make_executor(false), pacer);
  CHECK(differing_bytes(run_whole(paced, model, inputs)[0], run_whole(*bare, model, inputs)[0]) ==
        0);
  CHECK(pacer.report().macs == total_macs(model));
  CHECK(hand.time == nanoseconds(2 * total_macs(model)));
  CHECK(paced.arithmetic_class() == bare->arithmetic_class());
}

TEST_CASE("a pause can be ended from another thread, and those that follow do not begin") {
  BreakablePause pause;
  const PaceClock clock = pause.clock();
  pause.end();
  const nanoseconds begin = clock.now();
  clock.wait_until(begin + 60s);
  CHECK(clock.now() - begin < 30s);
}

}  // namespace shingle::tests
