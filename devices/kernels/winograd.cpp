#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/kernels/winograd.cpp"
#include "devices/kernels/targets.hpp"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <algorithm>
#include <cassert>
#include <cmath>

#include "devices/kernels/winograd.hpp"
#include "devices/kernels/winograd_transform-inl.hpp"

#ifndef SHINGLE_KERNELS_WINOGRAD_ONCE
#define SHINGLE_KERNELS_WINOGRAD_ONCE
namespace shingle::kernels {

inline constexpr std::size_t positions = 36, line_floats = 16;

// Scratch: V, M, one border tile's pixels and, if the weights are not kept transformed, U of a few
// panels. Rows of V are padded where a power of two would put a block's 14 rows into two L1 sets;
// positions lie an odd number of cache lines apart, so that the 36 that a transform writes (or
// reads) fall into different sets.
struct WinogradScratch {
  std::size_t v_row, v_position, m_row, m_position, tile, u_panel;
  std::size_t v, m, pixels, u, floats;  // where each starts; all
};

inline std::size_t whole_lines(std::size_t floats) {
  return (floats + line_floats - 1) / line_floats * line_floats;
}
inline std::size_t odd_lines(std::size_t floats) { return (whole_lines(floats) | line_floats); }

inline WinogradScratch layout(const WinogradConvolution& layer, WinogradBlocking blocking) {
  const auto inputs = static_cast<std::size_t>(layer.filter.inputs);
  const auto tiles = static_cast<std::size_t>(blocking.tiles);
  const auto panel = static_cast<std::size_t>(panel_channels());
  WinogradScratch s{};
  s.v_row = whole_lines(inputs) + (inputs % 256 == 0 ? line_floats : 0);
  s.v_position = odd_lines(tiles * s.v_row);
  s.m_row = whole_lines(static_cast<std::size_t>(blocking.panels) * panel);
  s.m_position = odd_lines(tiles * s.m_row);
  s.tile = whole_lines(inputs);
  s.u_panel = layer.transformed ? 0 : positions * inputs * panel;
  s.m = s.v + positions * s.v_position;
  s.pixels = s.m + positions * s.m_position;
  s.u = s.pixels + positions * s.tile;
  s.floats = s.u + static_cast<std::size_t>(blocking.panels) * s.u_panel;
  return s;
}

}  // namespace shingle::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

inline constexpr std::size_t panel_width = block_vectors * lanes;

// One panel: its channels and where it lies.
struct WinogradPanel {
  std::size_t channel, width, vectors;
  const float *bias, *weights;
};

inline WinogradPanel winograd_panel(const WinogradConvolution& layer, std::size_t index) {
  const auto inputs = static_cast<std::size_t>(layer.filter.inputs);
  const std::size_t channel = index * panel_width;
  const std::size_t width =
      std::min(panel_width, static_cast<std::size_t>(layer.filter.outputs) - channel);
  const std::size_t vectors = (width + lanes - 1) / lanes;
  const float* start = layer.packed + channel * (1 + (layer.transformed ? positions : 9) * inputs);
  return {channel, width, vectors, start, start + vectors * lanes};
}

inline HWY_NOINLINE void transform_panel(std::size_t inputs, std::size_t vectors, const float* g,
                                         float* to) {
  const F d;
  const std::size_t width = vectors * lanes, tap = inputs * width;
  for (std::size_t i = 0; i < tap; i += lanes) transform_filter(d, g + i, tap, to + i, tap);
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
    transform_panel(inputs, panel.vectors, panel.weights, transformed);
    transformed += positions * inputs * width;
  }
}

struct TileAt {
  int32_t y, x;  // of its first output
};

// The window's tiles, row after row.
struct Grid {
  int32_t first_y, first_x, columns, count;
  TileAt at(int32_t i) const {
    return {first_y + i / columns * winograd_tile, first_x + i % columns * winograd_tile};
  }
};

inline int32_t tile_floor(int32_t v) { return v >= 0 ? v / 4 * 4 : -((3 - v) / 4 * 4); }

inline Grid grid(Span rows, Span columns) {
  const int32_t y = tile_floor(rows.begin), x = tile_floor(columns.begin);
  const int32_t across = (columns.end - x + 3) / 4;
  return {y, x, across, across * ((rows.end - y + 3) / 4)};
}

// What the stages of one call share.
struct Stage {
  const WinogradConvolution& layer;
  const InputRows& input;
  const OutputRows& output;
  const WinogradCall& call;
  Grid tiles;
  WinogradScratch at;
  float* scratch;
};

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

// M[p] = V[p] x U[p] for the panels [first, last): positions outermost, so that V[p] is read once
// for all of them.
inline void multiply(const Stage& s, int32_t tiles, std::size_t first, std::size_t last) {
  const auto inputs = static_cast<std::size_t>(s.layer.filter.inputs);
  const int32_t most = static_cast<int32_t>(block_pixels), blocks = (tiles - 1) / most + 1;
  BlockCall call;
  call.depth = inputs;
  call.step = static_cast<std::ptrdiff_t>(s.at.v_row);
  call.output_step = static_cast<std::ptrdiff_t>(s.at.m_row);
  for (std::size_t p = 0; p < positions; ++p) {
    for (std::size_t i = first; i < last; ++i) {
      const WinogradPanel panel = winograd_panel(s.layer, i);
      call.width = panel.vectors * lanes;
      call.weights =
          s.layer.transformed ? panel.weights : s.scratch + s.at.u + (i - first) * s.at.u_panel;
      call.weights += p * inputs * call.width;
      for (int32_t b = 0; b < blocks; ++b) {
        const auto begin = static_cast<std::size_t>(tiles * b / blocks);
        const auto end = static_cast<std::size_t>(tiles * (b + 1) / blocks);
        const float* a = s.scratch + s.at.v + p * s.at.v_position + begin * s.at.v_row;
        call.taps = &a;
        call.output = s.scratch + s.at.m + p * s.at.m_position + begin * s.at.m_row +
                      (i - first) * panel_width;
        block_function(end - begin, panel.vectors)(call);
      }
    }
  }
}

// How much of an epilogue the inverse transform is compiled for.
enum class Finish { plain, leaky, clamp, any };

inline Finish finish_of(const Epilogue& epilogue) {
  if (epilogue.residual) return Finish::any;
  switch (epilogue.activation.kind) {
    case Activation::Kind::none:
      return Finish::plain;
    case Activation::Kind::leaky_relu:  // a falling slope may not change places with the maximum
      return epilogue.activation.alpha >= 0 ? Finish::leaky : Finish::any;
    case Activation::Kind::relu:
    case Activation::Kind::clip:
      return Finish::clamp;
    default:
      return Finish::any;
  }
}

struct Light {
  V bias, low, high, slope;
};

template <Finish finish>
HWY_INLINE V finished(F d, V v, const Light& light) {
  v = hn::Add(v, light.bias);
  if constexpr (finish == Finish::leaky)
    return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(v, light.slope), v);
  if constexpr (finish == Finish::clamp) return hn::Min(hn::Max(v, light.low), light.high);
  return v;
}

inline Light light_of(F d, const Activation& activation) {
  const bool relu = activation.kind == Activation::Kind::relu;
  return {hn::Zero(d), hn::Set(d, relu ? 0.0F : activation.alpha),
          hn::Set(d, relu ? HUGE_VALF : activation.beta), hn::Set(d, activation.alpha)};
}

// Where a vector of channels goes: the tile's outputs that lie in the window.
struct Target {
  float* at[4];  // row i of the tile at its column 0, or nullptr
  const float* residual[4];
  Span columns;  // of the tile, 0..4
  std::ptrdiff_t pixel, residual_pixel;
};

inline Target target_of(const Stage& s, TileAt tile) {
  Target target{};
  const int32_t shrink = s.call.pool ? 2 : 1, size = winograd_tile / shrink;
  const int32_t y = tile.y / shrink, x = tile.x / shrink;
  target.columns = {std::max(0, s.output.columns.begin - x),
                    std::min(size, s.output.columns.end - x)};
  target.pixel = s.output.pixel;
  for (int32_t i = 0; i < size; ++i) {
    if (y + i < s.output.rows.begin || y + i >= s.output.rows.end) continue;
    target.at[i] =
        s.output.row[y + i - s.output.rows.begin] + (x - s.output.columns.begin) * s.output.pixel;
    if (const InputRows* r = s.call.epilogue.residual) {
      target.residual[i] = r->row[y + i - r->rows.begin] + (x - r->columns.begin) * r->pixel;
      target.residual_pixel = r->pixel;
    }
  }
  return target;
}

HWY_INLINE void store_tile(F d, const V (&y)[4][4], const Target& target, std::size_t channel,
                           std::size_t count) {
  const bool whole = target.columns == Span{0, 4} && count >= lanes;
  repeat<4>([&](auto i) SHINGLE_INLINE {
    if (!target.at[i]) return;
    float* to = target.at[i] + channel;
    repeat<4>([&](auto j) SHINGLE_INLINE {
      const auto offset = static_cast<std::ptrdiff_t>(j) * target.pixel;
      if (HWY_LIKELY(whole))
        hn::StoreU(y[i][j], d, to + offset);
      else if (target.columns.begin <= static_cast<int32_t>(j) &&
               static_cast<int32_t>(j) < target.columns.end)
        store_first(d, y[i][j], to + offset, count);
    });
  });
}

HWY_INLINE void store_pooled(F d, const V (&y)[4][4], const Target& target, std::size_t channel,
                             std::size_t count) {
  repeat<2>([&](auto i) SHINGLE_INLINE {
    if (!target.at[i]) return;
    repeat<2>([&](auto j) SHINGLE_INLINE {
      if (static_cast<int32_t>(j) < target.columns.begin ||
          static_cast<int32_t>(j) >= target.columns.end)
        return;
      store_first(d, y[i][j],
                  target.at[i] + static_cast<std::ptrdiff_t>(j) * target.pixel + channel, count);
    });
  });
}

HWY_INLINE V maximum(const V (&y)[4][4], std::size_t i, std::size_t j) {
  return hn::Max(hn::Max(y[i][j], y[i][j + 1]), hn::Max(y[i + 1][j], y[i + 1][j + 1]));
}

// Any activation, residual before or after it: value by value through memory, for these are not
// what bounds.
inline HWY_NOINLINE void finish_slowly(const Stage& s, const Target& target, std::size_t channel,
                                       std::size_t count, V bias, V (&y)[4][4]) {
  const F d;
  const Epilogue& e = s.call.epilogue;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      V v = hn::Add(y[i][j], bias), r = hn::Zero(d);
      const bool inside = target.residual[i] && target.columns.begin <= static_cast<int32_t>(j) &&
                          static_cast<int32_t>(j) < target.columns.end;
      if (inside)
        r = load_first(
            d,
            target.residual[i] + static_cast<std::ptrdiff_t>(j) * target.residual_pixel + channel,
            count);
      if (e.residual && !e.residual_after_activation) v = hn::Add(v, r);
      v = activate(d, v, e.activation);
      if (e.residual && e.residual_after_activation) v = hn::Add(v, r);
      y[i][j] = v;
    }
  }
}

// The inverse transform of one panel of one tile. A light activation rises with its argument, and
// so does adding the bias, so the maximum is taken first and they are applied to a quarter of the
// values: the same bits.
template <Finish finish, bool pool>
HWY_INLINE void finish_tile(const Stage& s, const Target& target, const WinogradPanel& panel,
                            const float* m) {
  const F d;
  Light light = light_of(d, s.call.epilogue.activation);
  for (std::size_t n = 0; n < panel.vectors; ++n) {
    const std::size_t channel = panel.channel + n * lanes, count = panel.width - n * lanes;
    light.bias = hn::LoadU(d, panel.bias + n * lanes);
    V y[4][4];
    transform_output(d, m + n * lanes, s.at.m_position, y);
    if constexpr (finish == Finish::any)
      finish_slowly(s, target, channel, count, light.bias, y);
    else if constexpr (!pool)
      repeat<16>([&](auto i) SHINGLE_INLINE {
        y[i / 4][i % 4] = finished<finish>(d, y[i / 4][i % 4], light);
      });
    if constexpr (pool) {
      repeat<4>([&](auto i) SHINGLE_INLINE {
        const V most = maximum(y, i / 2 * 2, i % 2 * 2);
        y[i / 2][i % 2] = finish == Finish::any ? most : finished<finish>(d, most, light);
      });
      store_pooled(d, y, target, channel, count);
    } else {
      store_tile(d, y, target, channel, count);
    }
  }
}

template <Finish finish, bool pool>
HWY_NOINLINE void finish_tiles(const Stage& s, int32_t first_tile, int32_t tiles, std::size_t first,
                               std::size_t last) {
  for (int32_t t = 0; t < tiles; ++t) {
    const Target target = target_of(s, s.tiles.at(first_tile + t));
    const float* m = s.scratch + s.at.m + static_cast<std::size_t>(t) * s.at.m_row;
    for (std::size_t i = first; i < last; ++i)
      finish_tile<finish, pool>(s, target, winograd_panel(s.layer, i),
                                m + (i - first) * panel_width);
  }
}

template <bool pool>
inline auto finish_function(Finish finish) {
  switch (finish) {
    case Finish::plain:
      return &finish_tiles<Finish::plain, pool>;
    case Finish::leaky:
      return &finish_tiles<Finish::leaky, pool>;
    case Finish::clamp:
      return &finish_tiles<Finish::clamp, pool>;
    case Finish::any:
      break;
  }
  return &finish_tiles<Finish::any, pool>;
}

inline void make_weights(const Stage& s, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const WinogradPanel panel = winograd_panel(s.layer, i);
    transform_panel(static_cast<std::size_t>(s.layer.filter.inputs), panel.vectors, panel.weights,
                    s.scratch + s.at.u + (i - first) * s.at.u_panel);
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
  const auto step = static_cast<std::size_t>(call.blocking.panels);
  const Finish finish = finish_of(call.epilogue);
  const auto finish_block =
      call.pool ? finish_function<true>(finish) : finish_function<false>(finish);
  const int32_t blocks = (s.tiles.count - 1) / call.blocking.tiles + 1;
  for (int32_t b = 0; b < blocks; ++b) {
    const auto begin = static_cast<int32_t>(int64_t{s.tiles.count} * b / blocks);
    const auto end = static_cast<int32_t>(int64_t{s.tiles.count} * (b + 1) / blocks);
    transform_tiles(s, begin, end - begin);
    for (auto p = static_cast<std::size_t>(call.first_panel); p < last; p += step) {
      const std::size_t until = std::min(p + step, last);
      if (!layer.transformed) make_weights(s, p, until);
      multiply(s, end - begin, p, until);
      finish_block(s, begin, end - begin, p, until);
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

// V and M take half of L2, the rest is for the weights that stream through: 14 tiles at the least,
// or U is streamed too often.
WinogradBlocking winograd_blocking(const FilterShape& filter, std::size_t level2_bytes) {
  const auto panel = panel_channels();
  const auto per_tile = positions * sizeof(float) * static_cast<std::size_t>(filter.inputs + panel);
  const auto tiles = static_cast<int32_t>(level2_bytes / 2 / per_tile);
  return {std::max(28, tiles / 14 * 14), 1};
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
