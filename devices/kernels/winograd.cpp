#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/kernels/winograd.cpp"
#include "devices/kernels/targets.hpp"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <algorithm>
#include <cassert>

#include "devices/kernels/winograd.hpp"
#include "devices/kernels/winograd_finish-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

// U of the input channels [first, last) of one panel, `position` floats between U's positions.
inline HWY_NOINLINE void transform_panel(const WinogradPanel& panel, std::size_t inputs, Channels k,
                                         float* to, std::size_t position) {
  const F d;
  const std::size_t width = panel.vectors * lanes;
  const float* from = panel.weights + k.first * width;
  for (std::size_t i = 0; i < (k.last - k.first) * width; i += lanes)
    transform_filter(d, from + i, inputs * width, to + i, position);
}

void transform_weights(const FilterShape& filter, const float* packed, float* transformed) {
  const WinogradConvolution layer{filter, 0, 0, packed, false};
  const auto inputs = static_cast<std::size_t>(filter.inputs);
  const std::size_t panels =
      (static_cast<std::size_t>(filter.outputs) + panel_width - 1) / panel_width;
  for (std::size_t p = 0; p < panels; ++p) {
    const WinogradPanel panel = winograd_panel(layer, p);
    const std::size_t width = panel.vectors * lanes;
    transformed = std::copy_n(panel.bias, width, transformed);
    transform_panel(panel, inputs, {0, inputs}, transformed, inputs * width);
    transformed += positions * inputs * width;
  }
}

// The six rows of a tile's pixels.
struct TilePixels {
  const float* row[6];
  std::ptrdiff_t pixel;
};

inline const float* winograd_row(const InputRows& input, int32_t y) {
  return y < input.rows.begin || y >= input.rows.end ? nullptr : input.row[y - input.rows.begin];
}

// A tile at a border: its pixels copied beside each other, zeros where there are none.
inline TilePixels gathered_tile(const Stage& s, Channels k, int32_t y, int32_t x) {
  float* to = s.scratch + s.at.pixels;
  const std::size_t bytes = (k.last - k.first) * sizeof(float);
  TilePixels pixels{{}, static_cast<std::ptrdiff_t>(s.at.tile)};
  for (int32_t i = 0; i < 6; ++i) {
    const float* row = winograd_row(s.input, y + i);
    pixels.row[i] = to;
    for (int32_t j = 0; j < 6; ++j, to += s.at.tile) {
      const int32_t column = x + j;
      if (row && column >= s.input.columns.begin && column < s.input.columns.end)
        std::memcpy(to, row + (column - s.input.columns.begin) * s.input.pixel + k.first, bytes);
      else
        std::memset(to, 0, bytes);
    }
  }
  return pixels;
}

inline TilePixels tile_pixels(const Stage& s, Channels k, TileAt tile) {
  const int32_t y = tile.y - s.layer.pad_y, x = tile.x - s.layer.pad_x;
  if (x < s.input.columns.begin || x + 6 > s.input.columns.end) return gathered_tile(s, k, y, x);
  TilePixels pixels{{}, s.input.pixel};
  for (int32_t i = 0; i < 6; ++i) {
    const float* row = winograd_row(s.input, y + i);
    if (!row) return gathered_tile(s, k, y, x);
    pixels.row[i] = row + (x - s.input.columns.begin) * s.input.pixel + k.first;
  }
  return pixels;
}

inline HWY_NOINLINE void transform_tile(const TilePixels& pixels, std::size_t inputs, float* to,
                                        std::size_t position) {
  const F d;
  std::size_t c = 0;
  for (; c + lanes <= inputs; c += lanes)
    transform_input(
        d,
        [&](std::size_t i, std::size_t j) SHINGLE_INLINE {
          return hn::LoadU(d, pixels.row[i] + static_cast<std::ptrdiff_t>(j) * pixels.pixel + c);
        },
        to + c, position);
  if (c < inputs)
    transform_input(
        d,
        [&](std::size_t i, std::size_t j) HWY_ATTR {
          return load_first(d, pixels.row[i] + static_cast<std::ptrdiff_t>(j) * pixels.pixel + c,
                            inputs - c);
        },
        to + c, position);
}

inline void transform_tiles(const Stage& s, Channels k, Tiles tiles) {
  float* v = s.scratch + s.at.v;
  for (int32_t t = tiles.begin; t < tiles.end; ++t, v += s.at.v_row)
    transform_tile(tile_pixels(s, k, s.tiles.at(t)), k.last - k.first, v, s.at.v_position);
}

// One panel's weights of some input channels.
struct Portion {
  WinogradPanel panel;
  Channels k;
};

// M[p] (+)= V[p] x U[p]; `v_first`: the channel that V starts with, `u` and `u_position`: where
// the portion's U lies. What was summed so far is taken up again exactly, so the bits are those of
// one sum over all channels.
inline void multiply(const Stage& s, std::size_t tiles, const Portion& some, std::size_t v_first,
                     const float* u, std::size_t u_position, float* m) {
  const std::size_t blocks = (tiles - 1) / block_pixels + 1;
  BlockCall call;
  call.depth = some.k.last - some.k.first;
  call.step = static_cast<std::ptrdiff_t>(s.at.v_row);
  call.output_step = static_cast<std::ptrdiff_t>(s.at.m_row);
  call.width = some.panel.vectors * lanes;
  call.go_on = some.k.first > 0;
  const float* v = s.scratch + s.at.v + (some.k.first - v_first);
  for (std::size_t p = 0; p < positions; ++p) {
    call.weights = u + p * u_position;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t begin = tiles * b / blocks, end = tiles * (b + 1) / blocks;
      const float* a = v + p * s.at.v_position + begin * s.at.v_row;
      call.taps = &a;
      call.output = m + p * s.at.m_position + begin * s.at.m_row;
      block_function(end - begin, some.panel.vectors)(call);
    }
  }
}

// Weights that are kept are read as they are; others are transformed a few channels at a time, so
// that U is still in L2 when it is read.
inline void multiply_panel(const Stage& s, std::size_t tiles, const WinogradPanel& panel,
                           Channels k, float* m) {
  const auto inputs = static_cast<std::size_t>(s.layer.filter.inputs);
  const std::size_t width = panel.vectors * lanes;
  if (s.layer.transformed) {
    multiply(s, tiles, {panel, k}, k.first, panel.weights + k.first * width, inputs * width, m);
    return;
  }
  const auto depth = static_cast<std::size_t>(s.call.blocking.depth);
  float* u = s.scratch + s.at.u;
  for (Channels some{k.first, 0}; some.first < k.last; some.first = some.last) {
    some.last = std::min(some.first + depth, k.last);
    transform_panel(panel, inputs, some, u, s.at.u_position);
    multiply(s, tiles, {panel, some}, k.first, u, s.at.u_position, m);
  }
}

// One block of tiles: V of some input channels, and their products for every panel; the last of
// them complete the sums.
template <class FinishTiles>
inline void compute_tiles(const Stage& s, Tiles tiles, std::size_t last, FinishTiles finish) {
  const auto inputs = static_cast<std::size_t>(s.layer.filter.inputs);
  const auto first = static_cast<std::size_t>(s.call.first_panel);
  const std::size_t channels = channels_at_a_time(s.layer, s.call.blocking);
  for (Channels k{0, 0}; k.first < inputs; k.first = k.last) {
    k.last = std::min(k.first + channels, inputs);
    transform_tiles(s, k, tiles);
    for (std::size_t p = first; p < last; ++p) {
      const WinogradPanel panel = winograd_panel(s.layer, p);
      float* m = s.scratch + s.at.m + (p - first) * s.at.m_panel;
      multiply_panel(s, static_cast<std::size_t>(tiles.size()), panel, k, m);
      if (k.last == inputs) finish(s, tiles, panel, m);
    }
  }
}

void winograd(const WinogradConvolution& layer, const InputRows& input, const OutputRows& output,
              const WinogradCall& call, float* scratch) {
  const int32_t grow = call.pool ? 2 : 1;
  const Span rows{output.rows.begin * grow, output.rows.end * grow};
  const Span columns{output.columns.begin * grow, output.columns.end * grow};
  const Stage s{layer,  input, output, call, grid(rows, columns), layout(layer, call.blocking),
                scratch};
  const auto all = (static_cast<std::size_t>(layer.filter.outputs) + panel_width - 1) / panel_width;
  const std::size_t last = call.last_panel < 0 ? all : static_cast<std::size_t>(call.last_panel);
  const Finish finish = finish_of(call.epilogue);
  const auto finish_block =
      call.pool ? finish_function<true>(finish) : finish_function<false>(finish);
  const int32_t blocks = (s.tiles.count - 1) / call.blocking.tiles + 1;
  for (int32_t b = 0; b < blocks; ++b) {
    const auto begin = static_cast<int32_t>(int64_t{s.tiles.count} * b / blocks);
    const auto end = static_cast<int32_t>(int64_t{s.tiles.count} * (b + 1) / blocks);
    compute_tiles(s, {begin, end}, last, finish_block);
  }
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shingle::kernels {
HWY_EXPORT(transform_weights);
HWY_EXPORT(winograd);

std::size_t winograd_floats(const FilterShape& filter) {
  const std::size_t rows = 1 + 9 * static_cast<std::size_t>(filter.inputs);
  return packed_floats(filter) / rows * (1 + positions * static_cast<std::size_t>(filter.inputs));
}

void winograd_weights(const FilterShape& filter, const float* packed, float* transformed) {
  HWY_DYNAMIC_DISPATCH(transform_weights)(filter, packed, transformed);
}

// V, and M of one panel, take half of L2, the rest is for U that streams through; 42 tiles at the
// least, or it does so too often, and 56 of weights that are transformed on the fly. Where they
// leave room for fewer channels than there are, V is made of some at a time, and M waits in L3: it
// is read and written once for each such part, V would be once for each panel.
WinogradBlocking winograd_blocking(const WinogradConvolution& layer, std::size_t level2_bytes) {
  const std::size_t position_bytes = positions * sizeof(float);
  const auto panel = static_cast<std::size_t>(panel_channels());
  const auto inputs = static_cast<std::size_t>(layer.filter.inputs);
  const std::size_t fitting = level2_bytes / 2 / (position_bytes * (inputs + panel)) / 14 * 14;
  const std::size_t tiles = std::max<std::size_t>(layer.transformed ? 42 : 56, fitting);
  const auto multiple_of_16 = [](std::size_t channels) {
    return static_cast<int32_t>(std::max<std::size_t>(channels / 16 * 16, 16));
  };
  return {.tiles = static_cast<int32_t>(tiles),
          .depth = multiple_of_16(level2_bytes / 7 / (position_bytes * panel)),
          .channels = multiple_of_16(level2_bytes / 2 / (position_bytes * tiles))};
}

std::size_t winograd_scratch_floats(const WinogradConvolution& layer, WinogradBlocking blocking) {
  return layout(layer, blocking).floats;
}

void winograd_convolution(const WinogradConvolution& layer, const InputRows& input,
                          const OutputRows& output, const WinogradCall& call, float* scratch) {
  assert(!call.pool || !call.epilogue.residual);
  if (output.rows.empty() || output.columns.empty()) return;
  HWY_DYNAMIC_DISPATCH(winograd)(layer, input, output, call, scratch);
}

}  // namespace shingle::kernels
#endif
