// What a pass does with its arena, played on memory in which every float remembers whose it is.
#include "devices/pass/memory_plan.hpp"

#include <doctest/doctest.h>

#include "devices/layers/native_layer.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/pass/recompute.hpp"
#include "devices/pass/tile_pass.hpp"
#include "tests/devices/pass/tagged_arena.hpp"
#include "tests/devices/tile_runs.hpp"
#include "tests/networks/builder.hpp"

namespace shingle::tests {

namespace {

// Strip after strip, on one thread.
void play(const Model& model, const TilePass& pass) {
  TaggedArena arena(model, pass);
  for (const PassStrip& strip : pass.strips) {
    const PassStep& step = pass.steps[strip.step];
    arena.move(strip);
    arena.must_hold_inputs(strip);
    arena.write(step.output, with_rows(step.region, strip.rows));
    arena.must_hold_inputs(strip);  // nothing was written over what is read
    if (step.copied_to && strip.rows.end == rows_of(step.region).end)
      arena.must_hold(step.output, step.region);
  }
}

// Each buffer may be rounded up to a cache line and be read 16 bytes past its end.
int64_t rounding(const MemoryPlan& plan) {
  return static_cast<int64_t>(plan.buffers.size()) * (64 + 16);
}

// Layer by layer, no map is packed.
int64_t packed_bytes(const TilePass& pass) {
  int64_t bytes = 0;
  for (const TensorPlace& place : pass.places) bytes += place.kept ? bytes_of(place) : 0;
  return bytes;
}

void must_be_sound(const Model& model, const TileProgram& program, PassOptions options) {
  play(model, planned_pass(model, program, options, Kernels::none));
  const PlannedPass pass = planned_pass(model, program, options, Kernels::ours);
  play(model, pass);
  const MemoryPlan plan = memory_plan(model, pass);
  CAPTURE(draw(plan));
  CHECK(plan.live_bytes <= plan.arena_bytes);
  CHECK(plan.arena_bytes <= plan.layer_wise_bytes + packed_bytes(pass) + rounding(plan));
  CHECK(plan.arena_bytes * 4 <= plan.live_bytes * 5 + 4 * rounding(plan));
}

}  // namespace

TEST_CASE("Random networks: what a strip reads is in the arena when it reads it") {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    const Model model = networks::random_model(random);
    const TileProgram program =
        random.chance(0.5) ? whole_program(model) : random_tile(random, model);
    must_be_sound(model, program,
                  {.strip_pixels = random.between(8, 400),
                   .strip_macs = random.chance(0.5) ? random.between(1, 100'000) : 0});
    must_be_sound(model, program, {.strip_pixels = 16, .max_bytes = 0});
    must_be_sound(model, program, {});
  }
}

TEST_CASE("Networks that people deploy: no arena is larger than layer by layer" *
          doctest::test_suite("long")) {
  for (const std::string& name : networks::names()) {
    CAPTURE(name);
    const Model model = networks::make(name, 96).value();
    must_be_sound(model, whole_program(model), {.strip_pixels = 64});
    must_be_sound(model, whole_program(model), {.strip_pixels = 64, .max_bytes = 0});
    must_be_sound(model, whole_program(model), {});
  }
}

TEST_CASE("A strip is worth the work that is asked for, but for a step's last and where none is") {
  const Model model = networks::make("mobilenetv2", 224).value();
  constexpr int64_t wanted = 1'000'000;
  const PlannedPass by_pixels =
      planned_pass(model, whole_program(model), {.strip_pixels = 512}, Kernels::ours);
  const PlannedPass by_work = planned_pass(
      model, whole_program(model), {.strip_pixels = 512, .strip_macs = wanted}, Kernels::ours);
  CHECK(by_work.strips.size() * 2 < by_pixels.strips.size());
  for (const PassStrip& strip : by_work.strips) {
    const PassStep& step = by_work.steps[strip.step];
    if (!std::holds_alternative<Convolution>(model.at(step.layer).op)) continue;
    const Region region = with_rows(step.region, strip.rows);
    CHECK(
        (strip.rows.end == rows_of(step.region).end || macs(model, step.layer, region) >= wanted));
  }
}

TEST_CASE("Where memory counts, a U-Net's large skips are computed twice, with the same bits") {
  const Model model = networks::make("unet", 256).value();
  const TileProgram program = whole_program(model);
  const PlannedPass once = planned_pass(model, program, {.strip_pixels = 512}, Kernels::ours);
  const PlannedPass twice =
      planned_pass(model, program, {.strip_pixels = 512, .max_bytes = 0}, Kernels::ours);
  CHECK(twice.steps.size() > once.steps.size());
  CHECK(twice.arena_bytes * 3 < once.arena_bytes * 2);
  const std::vector<Map> inputs = random_inputs(model, 8);
  NativeExecutor fast, small({.threads = 2, .map_bytes = 0});
  const std::vector<Map> expected = run_whole(fast, model, inputs);
  const std::vector<Map> computed = run_whole(small, model, inputs);
  CHECK(small.activation_bytes() * 3 < fast.activation_bytes() * 2);
  REQUIRE(computed.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(differing_bytes(computed[i], expected[i]) == 0);
}

TEST_CASE("What is computed again is a skip's own history, for its late readers alone") {
  // a - b - pool - c - up - concat(b, up)
  networks::Builder builder(1);
  const TensorId image = builder.input({16, 16, 3});
  const TensorId a = builder.convolution(image, {.channels = 8});
  const TensorId b = builder.convolution(a, {.channels = 8});
  const TensorId pooled = builder.max_pool(b, {.kernel = 2, .stride = 2});
  const TensorId c = builder.convolution(pooled, {.channels = 8});
  builder.output(builder.concat({b, builder.upsample_nearest(c)}));
  const Model model = std::move(builder).finish("skip");
  const TileProgram program = whole_program(model);
  const std::vector<FusedStep> fused = fuse_steps(model, program, FusionRules{});
  const std::vector<size_t> sources = steps_with_late_readers(model, program, fused);
  REQUIRE(sources == std::vector<size_t>{1});
  const Recomputed again = recompute(model, program, fused, sources);
  CHECK(again.steps == std::vector<size_t>{0, 1});
  REQUIRE(again.late.size() == 1);
  CHECK(again.late[0].step == 5);
  CHECK(again.late[0].tensor == b);
  CHECK(again.before == 5);
  CHECK(macs_again(model, program, fused, again) == 16 * 16 * 9 * (3 * 8 + 8 * 8));
}

TEST_CASE("A plan draws itself: a line for each map, its life in the columns") {
  const MemoryPlan plan{
      .buffers = {{"conv1", 0, 1'000'000, 9, 304, 0, 1}, {"conv2", 1'000'000, 500'000, 6, 6, 1, 3}},
      .strips = 4,
      .arena_bytes = 1'500'000,
      .live_bytes = 1'500'000,
      .layer_wise_bytes = 30'000'000};
  const std::string text = draw(plan);
  CHECK(text.find("conv1                        |##..|") != std::string::npos);
  CHECK(text.find("conv2                        |.###|") != std::string::npos);
  CHECK(text.find("in use |6933|") != std::string::npos);
  CHECK(text.find("arena 1.50 MB for 2 maps; at most 1.50 MB are in use at once; map by map "
                  "30.00 MB") != std::string::npos);
}

}  // namespace shingle::tests
