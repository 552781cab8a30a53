// What an executor holds is counted; once warm, a pass allocates nothing.
#include <doctest/doctest.h>

#include "devices/executor/memory_account.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/native/self_test.hpp"
#include "tests/devices/allocations.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

// Tiles of a front of YOLOv2 in a 3x2 grid.
std::vector<TileProgram> grid(const Model& model, WinogradUse use = WinogradUse::where_faster) {
  const TensorId output = model.outputs[0].tensor;
  const Shape shape = model.at(output).shape;
  std::vector<TileProgram> tiles;
  for (int32_t row = 0; row < 3; ++row) {
    for (int32_t column = 0; column < 2; ++column) {
      tiles.push_back(tile_program(model, whole_block(model, use),
                                   {{output,
                                     {{shape.h * row / 3, shape.h * (row + 1) / 3},
                                      {shape.w * column / 2, shape.w * (column + 1) / 2},
                                      {0, shape.c}}}}));
    }
  }
  return tiles;
}

struct Pass {
  TileProgram program;
  Map input, output;

  Status run(Executor& executor) {
    const ConstTensorView in = std::as_const(input).view();
    const TensorView out = output.view();
    return executor.compute(program, std::span(&in, 1), std::span(&out, 1));
  }
};

}  // namespace

TEST_CASE("Weights are packed once, however many tiles there are") {
  const Result<Model> model = networks::make("yolov2_front", 96);
  REQUIRE(model.ok());
  const int64_t weight_bytes = parameters(*model) * 4;
  for (const int64_t room : {int64_t{0}, int64_t{2'000'000}}) {
    const NativeOptions options{.threads = 1, .transformed_bytes = room};
    NativeExecutor whole_map(options), tiled(options);
    const TileProgram everything = whole_program(*model);
    REQUIRE(whole_map.prepare(*model, std::span(&everything, 1)).ok());
    REQUIRE(tiled.prepare(*model, grid(*model)).ok());
    CHECK(tiled.memory().packed_bytes == whole_map.memory().packed_bytes);
    CHECK(tiled.memory().packed_bytes >= weight_bytes);
    CHECK(tiled.memory().packed_bytes < weight_bytes * 11 / 10 + room);
  }
}

TEST_CASE("Where steps compute all rows at once, tiles need less scratch than the whole map") {
  const Result<Model> model = networks::make("yolov2_front", 416);
  REQUIRE(model.ok());
  const NativeOptions at_once{.threads = 1, .kernels = NativeOptions::Kernels::xnnpack};
  NativeExecutor whole_map(at_once), tiled(at_once);
  const TileProgram everything = whole_program(*model, WinogradUse::never);
  REQUIRE(whole_map.prepare(*model, std::span(&everything, 1)).ok());
  REQUIRE(tiled.prepare(*model, grid(*model, WinogradUse::never)).ok());
  CHECK(tiled.memory().scratch_bytes * 2 < whole_map.memory().scratch_bytes);
}

TEST_CASE("Depth first, YOLOv2's layers 0 to 15 at 608 hold at most 6 MB of maps, a tenth of all") {
  const Result<Model> model = networks::make("yolov2_front");
  REQUIRE(model.ok());
  NativeExecutor depth_first;
  NativeExecutor at_once({.threads = 1, .kernels = NativeOptions::Kernels::xnnpack});
  const TileProgram everything = whole_program(*model);
  REQUIRE(depth_first.prepare(*model, std::span(&everything, 1)).ok());
  REQUIRE(at_once.prepare(*model, std::span(&everything, 1)).ok());
  CHECK(depth_first.activation_bytes() < 6'000'000);
  CHECK(depth_first.activation_bytes() * 10 < at_once.activation_bytes());
}

TEST_CASE("Once warm, passes allocate nothing and hold no more") {
  const Result<Model> model = networks::make("yolov2_front", 96);
  REQUIRE(model.ok());
  const Map image = random_map(model->at(model->inputs[0]).shape, 1);
  NativeExecutor executor;
  std::vector<Pass> passes;
  for (const TileProgram& program : grid(*model)) {
    const Region& out = program.outputs[0].region;
    passes.push_back({program, cut(image, program.inputs[0].region),
                      Map{out, std::vector<float>(static_cast<size_t>(out.elements()))}});
    REQUIRE(executor.prepare(*model, std::span(&program, 1)).ok());
  }
  for (Pass& pass : passes) REQUIRE(pass.run(executor).ok());
  const Executor::Memory warm = executor.memory();
  const int64_t before = allocations();
  bool all_ok = true;
  for (int round = 0; round < 3; ++round) {
    for (Pass& pass : passes) all_ok = all_ok && pass.run(executor).ok();
  }
  const int64_t after = allocations();
  CHECK(all_ok);
  CHECK(after == before);
  CHECK(executor.memory().scratch_bytes == warm.scratch_bytes);
  CHECK(executor.memory().peak_bytes == warm.peak_bytes);
  CHECK(warm.peak_bytes >= warm.packed_bytes + warm.scratch_bytes);
}

TEST_CASE("From the second frame on, no network allocates anything") {
  for (const char* name : {"resnet18", "mobilenetv2", "unet", "yolov8n", "yolov3_tiny"}) {
    CAPTURE(name);
    const Model model = networks::make(name, 96).value();
    NativeExecutor executor({.threads = 2});
    const TileProgram program = whole_program(model);
    REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
    const std::vector<Map> inputs = random_inputs(model, 5);
    std::vector<Map> outputs;
    for (const Slice& slice : program.outputs)
      outputs.push_back(
          {slice.region, std::vector<float>(static_cast<size_t>(slice.region.elements()))});
    std::vector<ConstTensorView> in;
    std::vector<TensorView> out;
    for (const Map& map : inputs) in.push_back(map.view());
    for (Map& map : outputs) out.push_back(map.view());
    REQUIRE(executor.compute(program, in, out).ok());
    const Executor::Memory warm = executor.memory();
    const int64_t before = allocations();
    bool all_ok = true;
    for (int frame = 0; frame < 3; ++frame)
      all_ok = executor.compute(program, in, out).ok() && all_ok;
    const int64_t after = allocations();
    CHECK(all_ok);
    CHECK(after == before);
    CHECK(executor.memory().peak_bytes == warm.peak_bytes);  // XNNPACK's are counted in it
  }
}

TEST_CASE("An account remembers its peak, a buffer keeps its alignment") {
  MemoryAccount account;
  {
    AlignedBuffer buffer(account);
    buffer.reserve(1000);
    buffer.reserve(10);
    CHECK(account.held() == 1000);
    buffer.reserve(3000);
    CHECK(account.held() == 3000);
    CHECK(reinterpret_cast<uintptr_t>(buffer.data()) % buffer_alignment == 0);
  }
  CHECK(account.held() == 0);
  CHECK(account.peak() == 3000);
}

}  // namespace shingle::tests
