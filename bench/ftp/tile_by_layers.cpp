#include "bench/ftp/tile_by_layers.hpp"

#include <utility>

#include "devices/executor/view.hpp"
#include "devices/measure/pace.hpp"

namespace shingle::ftp {
namespace {

ConstTensorView view_of(const Floats& map, const Region& region) {
  return {.data = reinterpret_cast<const std::byte*>(map.data()), .region = region};
}
TensorView view_of(Floats& map, const Region& region) {
  return {.data = reinterpret_cast<std::byte*>(map.data()), .region = region};
}

Floats map_of(const Region& region) { return Floats(static_cast<size_t>(region.elements())); }

}  // namespace

Floats cut(const Floats& map, const Region& of, const Region& region) {
  Floats part = map_of(region);
  copy(view_of(map, of), view_of(part, region), region);
  return part;
}

void paste(const Floats& part, const Region& region, Floats& map, const Region& of) {
  copy(view_of(part, region), view_of(map, of), region);
}

Result<std::vector<Floats>> run_program(Executor& executor, const TileProgram& program,
                                        std::span<const Floats> inputs) {
  std::vector<ConstTensorView> in;
  for (size_t i = 0; i < inputs.size(); ++i)
    in.push_back(view_of(inputs[i], program.inputs[i].region));
  std::vector<Floats> outputs;
  for (const Slice& slice : program.outputs) outputs.push_back(map_of(slice.region));
  std::vector<TensorView> out;
  for (size_t i = 0; i < outputs.size(); ++i)
    out.push_back(view_of(outputs[i], program.outputs[i].region));
  if (const Status status = executor.compute(program, in, out); !status)
    return Error{status.error()};
  return outputs;
}

Result<Block> block_of(const Model& model, const FtpScheme& scheme) {
  auto layers = ftp_layers(model, scheme);
  if (!layers) return Error{layers.error()};
  if (model.at(model.inputs[0]).type != ElementType::f32)
    return Error{"FTP sends f32, and the model's input is of bytes"};
  Block block{
      .model = &model, .scheme = scheme, .layers = std::move(*layers), .tiles = {}, .rest = {}};
  block.tiles = ftp_tiles(model, block.layers, scheme);
  block.rest = ftp_rest(model, block.layers);
  return block;
}

TileProgram TileByLayers::program(size_t layer, const Region& output) const {
  const LayerId id = block_.layers[layer];
  return tile_program(*block_.model, FusedBlock{.layers = {{id, Algorithm::direct}}, .tiles = {}},
                      {{block_.model->at(id).output, output}});
}

Status TileByLayers::prepare() {
  std::vector<TileProgram> programs;
  for (const FtpTile& tile : block_.tiles)
    for (size_t layer = 0; layer < block_.layers.size(); ++layer)
      for (const FtpWay* way : {&tile.alone, &tile.reusing})
        if (!way->computed[layer].empty()) programs.push_back(program(layer, way->computed[layer]));
  return executor_.prepare(*block_.model, programs);
}

Result<ComputedTile> TileByLayers::compute(uint32_t index, bool reuses, const Floats& input,
                                           const std::vector<Floats>& strips) {
  const FtpTile& tile = block_.tiles[index];
  const FtpWay& way = reuses ? tile.reusing : tile.alone;
  ComputedTile done;
  done.strips.resize(tile.is_even() ? tile.strips.size() : 0);
  Floats map = input;
  Region region = way.input;
  for (size_t layer = 0; layer < block_.layers.size(); ++layer) {
    const Region& output = way.computed[layer];
    const Region reads = ftp_reads(*block_.model, block_.layers[layer], output);
    Floats window = map_of(reads), made = map_of(output);
    const Region own = intersect(reads, region);
    if (!own.empty()) paste(cut(map, region, own), own, window, reads);
    for (size_t i = 0; i < strips.size(); ++i)
      if (tile.strips[i].layer + 1 == layer) paste(strips[i], tile.strips[i].region, window, reads);
    if (!output.empty()) {
      const TileProgram step = program(layer, output);
      const ConstTensorView in = view_of(std::as_const(window), reads);
      const TensorView out = view_of(made, output);
      if (const Status status = executor_.compute(step, {&in, 1}, {&out, 1}); !status)
        return Error{status.error()};
      done.macs += computed_macs(executor_, *block_.model, step);
    }
    map = std::move(made);
    region = output;
    for (size_t i = 0; i < done.strips.size(); ++i)
      if (tile.strips[i].layer == layer) done.strips[i] = cut(map, region, tile.strips[i].region);
  }
  done.output = std::move(map);
  return done;
}

}  // namespace shingle::ftp
