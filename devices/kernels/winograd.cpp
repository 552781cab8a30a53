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
inline TilePixels gathered_tile(const Stage& s, int32_t y, int32_t x) {
  float* to = s.scratch + s.at.pixels;
  const auto bytes = static_cast<std::size_t>(s.layer.filter.inputs) * sizeof(float);
  TilePixels pixels{{}, static_cast<std::ptrdiff_t>(s.at.tile)};
  for (int32_t i = 0; i < 6; ++i) {
    const float* row = winograd_row(s.input, y + i);
    pixels.row[i] = to;
    for (int32_t j = 0; j < 6; ++j, to += s.at.tile) {
      const int32_t column = x + j;
      if (row && column >= s.input.columns.begin && column < s.input.columns.end)
        std::memcpy(to, row + (column - s.input.columns.begin) * s.input.pixel, bytes);
      else
        std::memset(to, 0, bytes);
    }
  }
  return pixels;
}

inline TilePixels tile_pixels(const Stage& s, TileAt tile) {
  const int32_t y = tile.y - s.layer.pad_y, x = tile.x - s.layer.pad_x;
  if (x < s.input.columns.begin || x + 6 > s.input.columns.end) return gathered_tile(s, y, x);
  TilePixels pixels{{}, s.input.pixel};
  for (int32_t i = 0; i < 6; ++i) {
    const float* row = winograd_row(s.input, y + i);
    if (!row) return gathered_tile(s, y, x);
    pixels.row[i] = row + (x - s.input.columns.begin) * s.input.pixel;
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

inline void transform_tiles(const Stage& s, int32_t first, int32_t count) {
  float* v = s.scratch + s.at.v;
  for (int32_t t = 0; t < count; ++t, v += s.at.v_row)
    transform_tile(tile_pixels(s, s.tiles.at(first + t)),
                   static_cast<std::size_t>(s.layer.filter.inputs), v, s.at.v_position);
}

// M[p] (+)= V[p] x U[p] for one panel over the input channels `k`; `u` and `u_position`: where
// these channels' U lies. What was summed so far is taken up again exactly, so the bits are those
// of one sum over all channels.
inline void multiply(const Stage& s, int32_t tiles, const WinogradPanel& panel, Channels k,
                     const float* u, std::size_t u_position) {
  const int32_t most = static_cast<int32_t>(block_pixels), blocks = (tiles - 1) / most + 1;
  BlockCall call;
  call.depth = k.last - k.first;
  call.step = static_cast<std::ptrdiff_t>(s.at.v_row);
  call.output_step = static_cast<std::ptrdiff_t>(s.at.m_row);
  call.width = panel.vectors * lanes;
  call.go_on = k.first > 0;
  for (std::size_t p = 0; p < positions; ++p, u += u_position) {
    call.weights = u;
    for (int32_t b = 0; b < blocks; ++b) {
      const auto begin = static_cast<std::size_t>(tiles * b / blocks);
      const auto end = static_cast<std::size_t>(tiles * (b + 1) / blocks);
      const float* a = s.scratch + s.at.v + p * s.at.v_position + begin * s.at.v_row + k.first;
      call.taps = &a;
      call.output = s.scratch + s.at.m + p * s.at.m_position + begin * s.at.m_row;
      block_function(end - begin, panel.vectors)(call);
    }
  }
}

// Weights that are kept are read as they are; others are transformed a few channels at a time, so
// that U is still in L2 when it is read.
inline void multiply_panel(const Stage& s, int32_t tiles, const WinogradPanel& panel) {
  const auto inputs = static_cast<std::size_t>(s.layer.filter.inputs);
  if (s.layer.transformed) {
    multiply(s, tiles, panel, {0, inputs}, panel.weights, inputs * panel.vectors * lanes);
    return;
  }
  const auto depth = static_cast<std::size_t>(s.call.blocking.depth);
  float* u = s.scratch + s.at.u;
  for (std::size_t k = 0; k < inputs; k += depth) {
    const Channels some{k, std::min(k + depth, inputs)};
    transform_panel(panel, inputs, some, u, s.at.u_position);
    multiply(s, tiles, panel, some, u, s.at.u_position);
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
    transform_tiles(s, begin, end - begin);
    for (auto p = static_cast<std::size_t>(call.first_panel); p < last; ++p) {
      const WinogradPanel panel = winograd_panel(layer, p);
      multiply_panel(s, end - begin, panel);
      finish_block(s, begin, end - begin, panel);
    }
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

// V and M take half of L2, the rest is for U that streams through; 42 tiles at the least, or it
// does so too often. Weights that are transformed on the fly want 112: V may then leave L2, as
// every row of it is read in order, while U of a few channels takes a quarter of it.
WinogradBlocking winograd_blocking(const WinogradConvolution& layer, std::size_t level2_bytes) {
  const std::size_t position_bytes = positions * sizeof(float);
  const auto panel = static_cast<std::size_t>(panel_channels());
  const auto inputs = static_cast<std::size_t>(layer.filter.inputs);
  const auto tiles = static_cast<int32_t>(level2_bytes / 2 / (position_bytes * (inputs + panel)));
  const std::size_t depth = level2_bytes / 4 / (position_bytes * panel) / 16 * 16;
  return {std::max(layer.transformed ? 42 : 112, tiles / 14 * 14),
          static_cast<int32_t>(std::max<std::size_t>(depth, 16))};
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
