#include "tests/networks/random_parts.hpp"

#include <algorithm>

#include "partition/model/shape.hpp"
#include "tests/networks/builder.hpp"

namespace shingle::networks {

Activation random_activation(Random& random) {
  using Kind = Activation::Kind;
  static constexpr Activation choices[] = {
      none,
      none,
      relu,
      leaky,
      leaky,
      relu6,
      sigmoid,
      silu,
      {.kind = Kind::tanh},
      {.kind = Kind::hard_sigmoid, .alpha = 0.2F, .beta = 0.5F},
      {.kind = Kind::hard_swish},
      {.kind = Kind::elu, .alpha = 1.0F},
      {.kind = Kind::softplus},
      {.kind = Kind::mish},
      {.kind = Kind::erf},
      {.kind = Kind::abs},
      {.kind = Kind::neg}};
  return choices[random.between(0, static_cast<int32_t>(std::size(choices)) - 1)];
}

Window random_window(Random& random, const WindowLimits& limits) {
  for (;;) {
    Window result{.kernel = random.between(1, 5),
                  .stride = random.chance(0.6) ? 1 : random.between(1, 3),
                  .dilation = random.chance(0.8) ? 1 : random.between(1, limits.dilation)};
    if (result.dilation > 1 && extent(result) > limits.size) continue;
    const int32_t most = std::min(extent(result) - 1, 4);
    result.pad_begin = random.between(0, most);
    result.pad_end = random.chance(0.5) ? result.pad_begin : random.between(0, most);
    const int32_t output = output_size(result, limits.size);
    if (output >= 1 && output <= limits.largest_output) return result;
  }
}

Window random_average_window(Random& random, int32_t size, int32_t largest) {
  Window result = random_window(random, {size, largest, 1});
  result.pad_begin = std::min(result.pad_begin, result.kernel / 2);
  result.pad_end = std::min(result.pad_end, result.kernel / 2);
  return output_size(result, size) >= 1 ? result : Window{};
}

Shape random_pooled_shape(Random& random, Shape in, const Window& y, const Window& x) {
  const auto up = [](const Window& window, int32_t size) {
    const int32_t floor = output_size(window, size);
    const int32_t room = size + window.pad_begin + window.pad_end - extent(window);
    const bool more = room % window.stride != 0 && floor * window.stride < size + window.pad_begin;
    return floor + (more ? 1 : 0);
  };
  if (random.chance(0.25)) return {up(y, in.h), up(x, in.w), in.c};
  return {output_size(y, in.h), output_size(x, in.w), in.c};
}

Rearrange channel_shuffle_move(Shape in, int32_t groups) {
  return {.factors = {in.h, in.w, groups, in.c / groups},
          .input_axes = {{{0}, {1}, {2, 3}}},
          .output_axes = {{{0}, {1}, {3, 2}}}};
}

Rearrange depth_to_space_move(Shape in) {
  return {.factors = {in.h, in.w, 2, 2, in.c / 4},
          .input_axes = {{{0}, {1}, {2, 3, 4}}},
          .output_axes = {{{0, 2}, {1, 3}, {4}}}};
}

Rearrange space_to_depth_move(Shape in) {
  return {.factors = {in.h / 2, 2, in.w / 2, 2, in.c},
          .input_axes = {{{0, 1}, {2, 3}, {4}}},
          .output_axes = {{{0}, {2}, {1, 3, 4}}}};
}

}  // namespace shingle::networks
