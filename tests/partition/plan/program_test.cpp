// Tile programs: what one tile's pass computes and reads, on small graphs whose results are known
// and on random ones.
#include "partition/plan/program.hpp"

#include <doctest/doctest.h>

#include <map>

#include "partition/model/demand.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

Window same(int32_t kernel) { return {kernel, 1, 1, kernel / 2, kernel / 2}; }

TensorId convolve(Model& model, const std::string& name, TensorId input, Window window,
                  int32_t channels) {
  const auto count =
      static_cast<size_t>(channels * model.at(input).shape.c * window.kernel * window.kernel);
  const ConstantId weights = add_constant(model, std::vector<float>(count, 0.5F));
  return add_layer(model, name, Convolution{window, window, 1, weights, {}}, {input});
}

FusedBlock block_of_layers(std::vector<uint32_t> layers) {
  FusedBlock block;
  for (uint32_t layer : layers) block.layers.push_back({LayerId{layer}});
  return block;
}

Region rows(int32_t begin, int32_t end, Shape shape) {
  return {{begin, end}, {0, shape.w}, {0, shape.c}};
}

// in -> conv3 -> conv3 -> add(in) : the skipped input needs the deep path's halo too.
Model residual() {
  Model model;
  const TensorId in = add_input(model, "in", {16, 8, 4});
  const TensorId a = convolve(model, "a", in, same(3), 4);
  const TensorId b = convolve(model, "b", a, same(3), 4);
  add_output(model, "sum", add_layer(model, "sum", Binary{}, {b, in}));
  return model;
}

}  // namespace

TEST_CASE("a residual tile reads the hull of both branches") {
  const Model model = residual();
  const TensorId in = model.inputs[0], sum = model.outputs[0].tensor;
  const Shape shape = model.at(sum).shape;
  const TileProgram program =
      tile_program(model, block_of_layers({0, 1, 2}), {{sum, rows(4, 8, shape)}});
  REQUIRE(program.steps.size() == 3);
  CHECK(program.inputs == std::vector<Slice>{{in, rows(2, 10, shape)}});
  CHECK(program.steps[0].output == rows(3, 9, shape));
  CHECK(program.steps[1].output == rows(4, 8, shape));
  CHECK(program.steps[2].inputs == std::vector<Region>{rows(4, 8, shape), rows(4, 8, shape)});
  // 4 input channels, 9 taps: (6 + 4) rows of 8 pixels of 4 channels.
  CHECK(macs(model, program) == (6 + 4) * 8 * 4 * 4 * 9);
}

TEST_CASE("a skip across blocks is a window of its own") {
  const Model model = residual();
  const TensorId in = model.inputs[0], sum = model.outputs[0].tensor;
  const TensorId a = model.layers[0].output;
  const Shape shape = model.at(sum).shape;
  const TileProgram program =
      tile_program(model, block_of_layers({1, 2}), {{sum, rows(4, 8, shape)}});
  CHECK(program.inputs == std::vector<Slice>{{in, rows(4, 8, shape)}, {a, rows(3, 9, shape)}});
}

TEST_CASE("a concat of branches with different halos reads from each its own halo") {
  Model model;
  const TensorId in = add_input(model, "in", {16, 8, 2});
  const TensorId narrow = convolve(model, "narrow", in, same(1), 3);
  const TensorId wide = convolve(model, "wide", in, same(5), 2);
  const TensorId joined = add_layer(model, "joined", Concat{Axis::c}, {narrow, wide});
  add_output(model, "joined", joined);
  const FusedBlock block = block_of_layers({0, 1, 2});

  const TileProgram both = tile_program(model, block, {{joined, {{6, 8}, {0, 8}, {0, 5}}}});
  CHECK(both.inputs == std::vector<Slice>{{in, {{4, 10}, {0, 8}, {0, 2}}}});
  CHECK(both.steps[0].output == Region{{6, 8}, {0, 8}, {0, 3}});
  CHECK(both.steps[1].output == Region{{6, 8}, {0, 8}, {0, 2}});

  // A tile of only the first channels never computes the wide branch.
  const TileProgram first = tile_program(model, block, {{joined, {{6, 8}, {0, 8}, {0, 3}}}});
  CHECK(first.inputs == std::vector<Slice>{{in, {{6, 8}, {0, 8}, {0, 2}}}});
  REQUIRE(first.steps.size() == 2);
  CHECK(first.steps[1].inputs == std::vector<Region>{{{6, 8}, {0, 8}, {0, 3}}, Region{}});
}

TEST_CASE("a layer that nothing demands is left out") {
  Model model;
  const TensorId in = add_input(model, "in", {8, 8, 1});
  const TensorId used = convolve(model, "used", in, same(3), 1);
  convolve(model, "dead", used, same(3), 1);
  add_output(model, "used", used);
  const TileProgram program = whole_program(model);
  REQUIRE(program.steps.size() == 1);
  CHECK(program.steps[0].layer == LayerId{0});
  CHECK(whole_block(model).layers.size() == 2);
}

TEST_CASE("an output in the middle of a block is computed whole although a reader needs less") {
  Model model;
  const TensorId in = add_input(model, "in", {8, 8, 1});
  const TensorId middle = convolve(model, "middle", in, same(1), 1);
  const TensorId end = convolve(model, "end", middle, same(3), 1);
  const TileProgram program =
      tile_program(model, block_of_layers({0, 1}),
                   {{middle, {{0, 4}, {0, 8}, {0, 1}}}, {end, {{4, 5}, {0, 8}, {0, 1}}}});
  CHECK(program.steps[0].output == Region{{0, 6}, {0, 8}, {0, 1}});
}

TEST_CASE("constants are read by steps but are no windows") {
  Model model;
  const TensorId in = add_input(model, "in", {8, 8, 2});
  const TensorId scale = add_constant_tensor(model, "scale", {1, 1, 2}, {2.0F, 3.0F});
  add_output(model, "out", add_layer(model, "out", Binary{Binary::Kind::mul}, {in, scale}));
  const TileProgram program = whole_program(model);
  CHECK(program.inputs == std::vector<Slice>{{in, whole({8, 8, 2})}});
  CHECK(program.steps[0].inputs[1] == whole({1, 1, 2}));
}

TEST_CASE("a tile whose windows lie wholly in padding reads nothing") {
  Model model;
  const TensorId in = add_input(model, "in", {4, 4, 1});
  const TensorId out = convolve(model, "out", in, {1, 1, 1, 3, 3}, 1);
  add_output(model, "out", out);
  const TileProgram program =
      tile_program(model, block_of_layers({0}), {{out, {{0, 2}, {0, 10}, {0, 1}}}});
  CHECK(program.inputs.empty());
  CHECK(program.steps[0].inputs == std::vector<Region>{Region{}});
}

TEST_CASE("the whole program of a model computes every map whole and counts its MACs") {
  const Model model = residual();
  const TileProgram program = whole_program(model);
  for (const Step& step : program.steps) {
    CHECK(step.output == whole(model.at(model.at(step.layer).output).shape));
  }
  CHECK(macs(model, program) == total_macs(model));
  const FusedBlock block = whole_block(model);
  REQUIRE(block.tiles.size() == 1);
  CHECK(block.tiles[0].outputs == program.outputs);
  CHECK(block.tiles[0].inputs == program.inputs);
  CHECK(block.tiles[0].macs == total_macs(model));
  CHECK(block.tiles[0].peak_bytes == 2 * 16 * 8 * 4 * 4);  // "b" and "sum" exist at the same time
}

TEST_CASE("in random networks every step finds its inputs, and no input is unused") {
  networks::Random random(51);
  for (int trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    const Model model = networks::random_model(random);
    const TensorId output = model.outputs[0].tensor;
    const Shape shape = model.at(output).shape;
    const int32_t y = random.between(0, shape.h - 1), x = random.between(0, shape.w - 1);
    const Region part{
        {y, random.between(y + 1, shape.h)}, {x, random.between(x + 1, shape.w)}, {0, shape.c}};
    const TileProgram program = tile_program(model, whole_block(model), {{output, part}});

    std::map<TensorId, Region> held, read{{output, part}};
    for (const Slice& slice : program.inputs) held[slice.tensor] = slice.region;
    for (const Step& step : program.steps) {
      const Layer& layer = model.at(step.layer);
      for (size_t input = 0; input < layer.inputs.size(); ++input) {
        const TensorId tensor = layer.inputs[input];
        read[tensor] = hull(read[tensor], step.inputs[input]);
        if (!model.at(tensor).constant) REQUIRE(contains(held[tensor], step.inputs[input]));
      }
      held[layer.output] = step.output;
    }
    for (const auto& [tensor, region] : held) REQUIRE(read[tensor] == region);
  }
}
