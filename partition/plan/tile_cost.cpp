#include "partition/plan/tile_cost.hpp"

#include <unordered_map>

namespace shingle {

int64_t peak_bytes(const Model& model, const TileProgram& program) {
  const size_t end = program.steps.size();
  std::unordered_map<TensorId, size_t> last_read;
  for (size_t i = 0; i < end; ++i) {
    const Layer& layer = model.at(program.steps[i].layer);
    for (TensorId input : layer.inputs) last_read[input] = i;
    last_read.try_emplace(layer.output, i);
  }
  for (const Slice& output : program.outputs) last_read[output.tensor] = end;

  std::vector<int64_t> freed(end + 1, 0);  // after each step
  int64_t live = 0, peak = 0;
  for (size_t i = 0; i < end; ++i) {
    const TensorId output = model.at(program.steps[i].layer).output;
    const int64_t bytes = bytes_of(program.steps[i].output, model.at(output).type);
    live += bytes;
    peak = std::max(peak, live);
    freed[last_read[output]] += bytes;
    live -= freed[i];
  }
  return peak;
}

Tile make_tile(const Model& model, const FusedBlock& block, std::vector<Slice> outputs) {
  TileProgram program = tile_program(model, block, outputs);
  Tile tile;
  tile.macs = macs(model, program);
  tile.peak_bytes = peak_bytes(model, program);
  tile.inputs = std::move(program.inputs);
  tile.outputs = std::move(program.outputs);
  return tile;
}

}  // namespace shingle
