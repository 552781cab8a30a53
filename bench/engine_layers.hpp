// Measures each layer of a network alone: its time, and its share of the peak FLOP/s.
#pragma once

#include "bench/engine_flops.hpp"
#include "bench/engine_report.hpp"
#include "bench/engine_runner.hpp"
#include "bench/onednn/convolution.hpp"
#include "devices/kernels/peak.hpp"

namespace shingle::bench {

// Layers that one fused step computes stay together: a convolution, and a pool or an addition that
// is its only reader.
inline std::vector<FusedBlock> one_by_one(const Model& model) {
  const auto reading = readers(model);
  std::vector<FusedBlock> blocks;
  for (uint32_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const bool follows = std::holds_alternative<Pooling>(layer.op) && i > 0 &&
                         model.layers[i - 1].output == layer.inputs[0] &&
                         reading[layer.inputs[0].value].size() == 1;
    if (!follows) blocks.emplace_back();
    const Algorithm algorithm = chosen_algorithm(model, layer, WinogradUse::where_faster);
    blocks.back().layers.push_back({LayerId{i}, algorithm});
  }
  return blocks;
}

inline double layer_seconds(NativeExecutor& executor, const Model& model,
                            const TileProgram& program) {
  must(executor.prepare(model, std::span(&program, 1)));
  std::vector<std::vector<float>> inputs, outputs;
  std::vector<ConstTensorView> in;
  std::vector<TensorView> out;
  for (const Slice& slice : program.inputs) {
    const Shape shape = model.at(slice.tensor).shape;
    inputs.push_back(networks::random_input(shape, 7));
    in.push_back({reinterpret_cast<const std::byte*>(inputs.back().data()), whole(shape),
                  model.at(slice.tensor).type});
  }
  for (const Slice& slice : program.outputs) {
    outputs.emplace_back(static_cast<size_t>(slice.region.elements()));
    out.push_back(
        {reinterpret_cast<std::byte*>(outputs.back().data()), slice.region, ElementType::f32});
  }
  std::vector<double> times;
  for (int round = 0; round < 8; ++round)
    times.push_back(cpu_seconds([&] { must(executor.compute(program, in, out)); }));
  return median(std::vector<double>(times.begin() + 1, times.end()));
}

// The same with oneDNN, for the convolutions.
inline double onednn_layer_seconds(const Model& model, const FusedBlock& block) {
  const Layer& layer = model.at(block.layers.front().id);
  return std::holds_alternative<Convolution>(layer.op) ? onednn_seconds(model, layer) : NAN;
}

// False if oneDNN ran none of them.
inline bool print_layers(const Model& model) {
  bool compared = false;
  NativeExecutor executor;
  for (const FusedBlock& block : one_by_one(model)) {
    const TensorId output = model.at(block.layers.back().id).output;
    const Shape shape = model.at(output).shape;
    const TileProgram program = tile_program(model, block, {{output, whole(shape)}});
    const double took = layer_seconds(executor, model, program);
    const double flops = own_flops(model, program);
    const Layer& layer = model.at(block.layers.front().id);
    const double onednn = onednn_layer_seconds(model, block);
    compared = compared || std::isfinite(onednn);
    std::printf(
        "  %-20s %-14s -> %4d x %4d x %4d  %-9s %8.3f ms  %5.1f %% of peak  %8.3f of oneDNN's "
        "%.3f\n",
        layer.name.substr(0, 20).c_str(), name_of(layer.op), shape.h, shape.w, shape.c,
        winograd_layers(block).empty() ? "" : "Winograd", took * 1e3,
        100 * flops / took / kernels::measured_peak(), took / onednn, onednn * 1e3);
  }
  return compared;
}

}  // namespace shingle::bench
