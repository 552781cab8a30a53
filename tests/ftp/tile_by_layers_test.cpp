// A tile computed with strips in between its layers: the bits of one machine.
#include "bench/ftp/tile_by_layers.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "devices/native/native_executor.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using namespace shingle::ftp;

namespace {

constexpr FtpScheme scheme{.rows = 3, .columns = 3, .layers = 8, .reuse = true};

struct Scene {
  Model model = networks::make("yolov2_front", 96).value();
  Block block = block_of(model, scheme).value();
  NativeExecutor executor;
  TileByLayers pass{block, executor};
  Region all = whole(model.at(model.inputs[0]).shape);
  Floats picture = networks::random_input(model.at(model.inputs[0]).shape, 7);

  Scene() { REQUIRE(pass.prepare().ok()); }

  ComputedTile compute(uint32_t tile, bool reuses, const std::vector<Floats>& strips) {
    const FtpWay& way = reuses ? block.tiles[tile].reusing : block.tiles[tile].alone;
    return pass.compute(tile, reuses, cut(picture, all, way.input), strips).value();
  }

  // The block's output by one machine.
  Floats expected() {
    TileProgram program = whole_program(model, WinogradUse::never);
    std::erase_if(program.steps,
                  [&](const Step& step) { return step.layer.value >= block.layers.size(); });
    program.outputs = {{model.at(block.layers.back()).output, map()}};
    REQUIRE(executor.prepare(model, {&program, 1}).ok());
    return run_program(executor, program, {&picture, 1}).value()[0];
  }

  Region map() const { return whole(model.at(model.at(block.layers.back()).output).shape); }
};

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("tiles that reuse their neighbours' strips, put together, are the whole map bit by bit") {
  Scene scene;
  std::vector<ComputedTile> done(scene.block.tiles.size());
  Floats map(static_cast<size_t>(scene.map().elements()));
  for (uint32_t index : ftp_order(scene.block.tiles)) {
    const FtpTile& tile = scene.block.tiles[index];
    std::vector<Floats> strips;
    if (!tile.is_even()) {
      for (const FtpStrip& strip : tile.strips) {
        const auto& made = scene.block.tiles[strip.even].strips;
        const auto at = std::find(made.begin(), made.end(), strip) - made.begin();
        strips.push_back(done[strip.even].strips[static_cast<size_t>(at)]);
      }
      CHECK(!strips.empty());
    }
    done[index] = scene.compute(index, !tile.is_even(), strips);
    paste(done[index].output, tile.alone.computed.back(), map, scene.map());
  }
  CHECK(same_bits(map, scene.expected()));
}

TEST_CASE("a rolled back tile puts out the same bits and computes more") {
  Scene scene;
  const Floats expected = scene.expected();
  for (uint32_t index = 0; index < scene.block.tiles.size(); ++index) {
    const Region region = scene.block.tiles[index].alone.computed.back();
    const ComputedTile alone = scene.compute(index, false, {});
    CHECK(same_bits(alone.output, cut(expected, scene.map(), region)));
  }
}

TEST_CASE("a model of bytes is refused with a sentence: FTP sends f32") {
  Model model = networks::make("yolov2_front", 96).value();
  take_image(model, {1 / 255.0F, 1 / 255.0F, 1 / 255.0F}, {0.0F, 0.0F, 0.0F});
  const auto refused = block_of(model, scheme);
  REQUIRE(!refused.ok());
  CHECK(refused.error().find("sends f32") != std::string::npos);
}
