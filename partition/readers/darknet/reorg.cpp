// [reorg]: Darknet's own way to make a map smaller and deeper; and [reorg3d], the usual way.
//
// Darknet (blas.c, reorg_cpu) iterates over the *input's* height H and width W although it means
// the output's, so the result is not space-to-depth. In flat indices of planes (c, y, x), with
// stride s:
//
//   out[((oy*s + ox) * C/s^2 + c2), j, i]  =  in'[c2, j*s + oy, i*s + ox]     j < H, i < W
//
// where in' is the input's memory read as C/s^2 planes of (H*s) x (W*s). The result, C planes of H
// x W, is read as C*s^2 planes of (H/s) x (W/s). Networks are trained with this order, so the
// weights of their next layer expect it. The borders of some planes fall within rows of the others,
// so three steps are needed; each moves whole digits of the indices:
//
//   lines     the input's memory as lines of W*s values: s rows each. A line is (c2, j, oy) as well
//   shuffled  digits (c2, j, oy | hi, p, ox) in the order (oy, ox, c2, j, hi | p); i = hi*(W/s) + p
//   planes    lines of W/s values, H/s to a plane
#include "partition/readers/darknet/layer.hpp"

namespace shingle::darknet {

namespace {

// The stride. Refuses a stride that does not divide the sizes, and then returns 1.
int32_t stride_of(LayerBuilder& layer, Shape shape, bool into_planes) {
  Section& section = layer.section();
  const int32_t stride = section.integer("stride", 1, {1, 1 << 10});
  const bool divides = shape.h % stride == 0 && shape.w % stride == 0 &&
                       (!into_planes || shape.c % (stride * stride) == 0);
  if (!divides) {
    section.refuse("a map of " + to_string(shape) + " does not divide by its stride " +
                   std::to_string(stride));
  }
  return section.sound() ? stride : 1;
}

}  // namespace

std::optional<TensorId> reorg(LayerBuilder& layer) {
  for (const char* key : {"reverse", "flatten", "extra"}) layer.section().insist(key, 0.0F);
  const Shape in = layer.shape(layer.input());
  const int32_t s = stride_of(layer, in, true);
  if (s == 1) return layer.input();
  const TensorId lines = layer.emit(Rearrange{.factors = {in.c, in.h / s, s, in.w},
                                              .input_axes = {{{1, 2}, {3}, {0}}},
                                              .output_axes = {{{0, 1}, {2, 3}, {}}}},
                                    {layer.input()});
  const TensorId shuffled =
      layer.emit(Rearrange{.factors = {in.c / (s * s), in.h, s, s, in.w / s, s},
                           .input_axes = {{{0, 1, 2}, {3, 4, 5}, {}}},
                           .output_axes = {{{2, 5, 0, 1, 3}, {4}, {}}}},
                 {lines});
  return layer.emit(Rearrange{.factors = {in.c * s * s, in.h / s, in.w / s},
                              .input_axes = {{{0, 1}, {2}, {}}},
                              .output_axes = {{{1}, {2}, {0}}}},
                    {shuffled});
}

// Each square of s x s pixels becomes one pixel: channels (oy, ox, c).
std::optional<TensorId> reorg3d(LayerBuilder& layer) {
  layer.section().insist("reverse", 0.0F);
  const Shape in = layer.shape(layer.input());
  const int32_t s = stride_of(layer, in, false);
  if (s == 1) return layer.input();
  return layer.emit(Rearrange{.factors = {in.h / s, s, in.w / s, s, in.c},
                              .input_axes = {{{0, 1}, {2, 3}, {4}}},
                              .output_axes = {{{0}, {2}, {1, 3, 4}}}},
                    {layer.input()});
}

}  // namespace shingle::darknet
