// The operations of a program's convolutions; for Winograd those that it really needs.
#pragma once

#include "partition/plan/program.hpp"

namespace shingle::bench {

// 36 products for 16 outputs, and the transforms: B^T d B is 12 rows of 6 at two multiply-adds or
// so each for 6x6 pixels, A^T M A 10 rows of 4 outputs.
inline double winograd_flops(Shape in, Shape out) {
  const double tiles = static_cast<double>((out.h + 3) / 4) * ((out.w + 3) / 4);
  const double products = 2.0 * 36 * in.c * out.c;
  const double transforms = 12.0 * 22 * in.c + 10.0 * 16 * out.c;
  return tiles * (products + transforms);
}

inline double own_flops(const Model& model, const Step& step) {
  const Layer& layer = model.at(step.layer);
  if (step.algorithm == Algorithm::winograd4)
    return winograd_flops(model.at(layer.inputs[0]).shape, model.at(layer.output).shape);
  return 2.0 * static_cast<double>(macs(model, step.layer, step.output));
}

inline double own_flops(const Model& model, const TileProgram& program) {
  double sum = 0;
  for (const Step& step : program.steps) sum += own_flops(model, step);
  return sum;
}

}  // namespace shingle::bench
