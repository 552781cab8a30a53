// What executors hold for plans goes with the plans; and what does not fit into memory leaves
// nothing behind.
#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <thread>

#include "devices/native/native_executor.hpp"
#include "devices/native/reference.hpp"
#include "tests/devices/allocations.hpp"
#include "tests/devices/scratch.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

Model small_model() { return networks::make("tiny", 32).value(); }

// A plan's tiles at one node: the output in bands, whose heights are the plan's own.
std::vector<TileProgram> tiles_of_plan(const Model& model, networks::Random& random) {
  const TensorId output = model.outputs[0].tensor;
  const Shape shape = model.at(output).shape;
  std::vector<TileProgram> tiles;
  for (int32_t row = 0; row < shape.h;) {
    const int32_t end = std::min(shape.h, row + random.between(1, shape.h));
    const int32_t column = random.between(1, shape.w);
    tiles.push_back(tile_program(model, whole_block(model),
                                 {{output, {{row, end}, {0, column}, {0, shape.c}}}}));
    row = end;
  }
  return tiles;
}

bool same_memory(const Executor::Memory& a, const Executor::Memory& b) {
  return a.packed_bytes == b.packed_bytes && a.scratch_bytes == b.scratch_bytes;
}

void must_compute(Executor& executor, const Model& model, const TileProgram& program,
                  const std::vector<Map>& inputs, const std::vector<Map>& expected) {
  const std::vector<Map> maps = run(executor, model, program, inputs);
  REQUIRE(maps.size() == expected.size());
  for (size_t i = 0; i < maps.size(); ++i) CHECK(differing_bytes(maps[i], expected[i]) == 0);
}

}  // namespace

TEST_CASE("Ten thousand plans, prepared and forgotten one behind the other, leave memory flat" *
          doctest::test_suite("long")) {
  const Model model = small_model();
  networks::Random random(7);
  const std::vector<Map> inputs = random_inputs(model, 3);
  for (const NativeOptions::Kernels kernels :
       {NativeOptions::Kernels::own, NativeOptions::Kernels::xnnpack}) {
    NativeExecutor executor({.threads = 1, .kernels = kernels});
    const TileProgram always = whole_program(model);
    REQUIRE(executor.prepare(model, std::span(&always, 1)).ok());
    const std::vector<Map> expected = run(executor, model, always, inputs);
    std::vector<TileProgram> before = tiles_of_plan(model, random);
    REQUIRE(executor.prepare(model, before).ok());
    executor.forget(before);
    const Executor::Memory bare = executor.memory();
    before = tiles_of_plan(model, random);
    REQUIRE(executor.prepare(model, before).ok());
    int64_t blocks = 0, most_peak = 0;
    constexpr int plans = 5'000;  // with each kind of kernels
    for (int plan = 0; plan < plans; ++plan) {
      // The next plan comes while the last one is held, as replans do.
      std::vector<TileProgram> next = tiles_of_plan(model, random);
      REQUIRE(executor.prepare(model, next).ok());
      executor.forget(before);
      before = std::move(next);
      if (plan == plans / 10) {
        executor.forget(before);
        before = {};
        blocks = blocks_alive();
        before = tiles_of_plan(model, random);
        REQUIRE(executor.prepare(model, before).ok());
        most_peak = executor.memory().peak_bytes;
      }
    }
    executor.forget(before);
    before = {};
    CHECK(blocks_alive() <= blocks + 8);
    CHECK(executor.prepared() == 1);
    CHECK(same_memory(executor.memory(), bare));
    CHECK(executor.memory().peak_bytes <= most_peak * 11 / 10);
    must_compute(executor, model, always, inputs, expected);
  }
}

TEST_CASE("Weights that several plans read go with the last of them") {
  const Model model = small_model();
  const TileProgram program = whole_program(model);
  for (const bool native : {true, false}) {
    std::unique_ptr<Executor> executor;
    if (native) executor = std::make_unique<NativeExecutor>();
    if (!native) executor = std::make_unique<ReferenceExecutor>();
    CHECK(executor->memory().packed_bytes == 0);
    REQUIRE(executor->prepare(model, std::span(&program, 1)).ok());
    const int64_t packed = executor->memory().packed_bytes;
    CHECK(packed > 0);
    const std::vector<TileProgram> twice{program, program};
    REQUIRE(executor->prepare(model, twice).ok());
    CHECK(executor->memory().packed_bytes == packed);
    executor->forget(twice);
    CHECK(executor->memory().packed_bytes == packed);
    CHECK(executor->check_weights(1.0).ok());
    executor->forget(twice);  // once more than it was prepared
    CHECK(executor->memory().packed_bytes == 0);
    CHECK(executor->memory().scratch_bytes == 0);
    CHECK(executor->check_weights(1.0).ok());
    REQUIRE(executor->prepare(model, std::span(&program, 1)).ok());
    CHECK(executor->memory().packed_bytes == packed);
  }
}

TEST_CASE("Room for transformed weights comes back with the layers that took it") {
  const Model model = networks::make("yolov2_front", 64).value();
  const TileProgram program = whole_program(model);
  NativeExecutor executor({.threads = 1, .transformed_bytes = 2'000'000});
  REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
  const int64_t packed = executor.memory().packed_bytes;
  for (int round = 0; round < 3; ++round) {
    executor.forget(std::span(&program, 1));
    REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
    CHECK(executor.memory().packed_bytes == packed);
  }
}

TEST_CASE("A tile computes its bits while others are prepared, forgotten and watched") {
  const Model model = small_model();
  const std::vector<Map> inputs = random_inputs(model, 3);
  const TileProgram program = whole_program(model);
  for (const bool native : {true, false}) {
    std::unique_ptr<Executor> executor;
    if (native) executor = std::make_unique<NativeExecutor>(NativeOptions{.threads = 2});
    if (!native) executor = std::make_unique<ReferenceExecutor>();
    REQUIRE(executor->prepare(model, std::span(&program, 1)).ok());
    const std::vector<Map> expected = run(*executor, model, program, inputs);
    std::atomic<bool> stop = false, packs = true;
    std::thread loader([&] {
      networks::Random random(11);
      while (!stop) {
        const std::vector<TileProgram> tiles = tiles_of_plan(model, random);
        packs = packs && executor->prepare(model, tiles).ok();
        executor->forget(tiles);
      }
    });
    for (int frame = 0; frame < 50; ++frame) {
      must_compute(*executor, model, program, inputs, expected);
      CHECK(executor->check_weights(0.1).ok());
    }
    stop = true;
    loader.join();
    CHECK(packs);
  }
}

TEST_CASE("Wherever memory ends while it packs, an executor holds what it held, and goes on") {
  const Model model = small_model();
  const std::vector<Map> inputs = random_inputs(model, 3);
  const TileProgram always = whole_program(model);
  networks::Random random(3);
  const std::vector<TileProgram> tiles = tiles_of_plan(model, random);
  for (const NativeOptions::Kernels kernels :
       {NativeOptions::Kernels::own, NativeOptions::Kernels::xnnpack}) {
    NativeExecutor executor({.threads = 1, .kernels = kernels});
    REQUIRE(executor.prepare(model, std::span(&always, 1)).ok());
    const std::vector<Map> expected = run(executor, model, always, inputs);
    const Executor::Memory held = executor.memory();
    int refused = 0;
    bool prepared = false;
    for (int64_t good = 0; !prepared; good += 1 + good / 50) {
      try {
        const ShortMemory memory(good);
        prepared = executor.prepare(model, tiles).ok();
      } catch (const std::bad_alloc&) {
      }
      refused += prepared ? 0 : 1;
      if (prepared) break;
      CHECK(executor.prepared() == 1);
      REQUIRE(same_memory(executor.memory(), held));
    }
    CHECK(refused > 20);
    must_compute(executor, model, always, inputs, expected);
    executor.forget(tiles);
    CHECK(same_memory(executor.memory(), held));
  }
}

}  // namespace shingle::tests
