#include "partition/model/algorithm.hpp"

namespace shingle {

namespace {

// With fewer channels, the transforms cost more than the multiplications that they save. With fewer
// 4x4 groups, the transformed weights (four times as large) are not reused often enough. Both
// measured on AVX-512 and AVX2.
constexpr int32_t least_channels = 16;
constexpr int32_t least_groups = 4;

int32_t groups_along(int32_t size) { return (size + winograd_grid - 1) / winograd_grid; }

bool plain3(const Window& window) {
  return window.kernel == 3 && window.stride == 1 && window.dilation == 1;
}

Span rounded_out(Span span, int32_t size) {
  return {span.begin / winograd_grid * winograd_grid,
          std::min(size, groups_along(span.end) * winograd_grid)};
}

}  // namespace

bool winograd_fits(const Layer& layer) {
  const auto* op = std::get_if<Convolution>(&layer.op);
  return op != nullptr && op->groups == 1 && plain3(op->y) && plain3(op->x);
}

Algorithm chosen_algorithm(const Model& model, const Layer& layer, WinogradUse use) {
  if (use == WinogradUse::never || !winograd_fits(layer)) return Algorithm::direct;
  if (use == WinogradUse::wherever_it_fits) return Algorithm::winograd4;
  const Shape in = model.at(layer.inputs[0]).shape, out = model.at(layer.output).shape;
  const bool faster = in.c >= least_channels && out.c >= least_channels &&
                      groups_along(out.h) * groups_along(out.w) >= least_groups;
  return faster ? Algorithm::winograd4 : Algorithm::direct;
}

Region computed_region(Algorithm algorithm, Shape map, const Region& output) {
  if (algorithm == Algorithm::direct) return output;
  return {rounded_out(output.y, map.h), rounded_out(output.x, map.w), output.c};
}

}  // namespace shingle
