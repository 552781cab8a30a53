// What the stages of a Winograd convolution share: the panels of weights, the grid of tiles, the
// layout of the scratch.
#if defined(SHINGLE_KERNELS_WINOGRAD_STAGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHINGLE_KERNELS_WINOGRAD_STAGE_INL
#undef SHINGLE_KERNELS_WINOGRAD_STAGE_INL
#else
#define SHINGLE_KERNELS_WINOGRAD_STAGE_INL
#endif

#include <algorithm>

#include "devices/kernels/winograd.hpp"
#include "devices/kernels/winograd_transform-inl.hpp"

#ifndef SHINGLE_KERNELS_WINOGRAD_ONCE
#define SHINGLE_KERNELS_WINOGRAD_ONCE
namespace shingle::kernels {

inline constexpr std::size_t positions = 36;

// Scratch: V; M of one panel (of all panels if V holds only some channels); the pixels of one tile
// at the border; and U of one panel for `depth` input channels if the weights are not kept
// transformed. Rows of V are padded if their length would put a block's 14 rows into two L1 sets.
// Positions lie an odd number of cache lines apart, so that the 36 positions that a transform
// writes (or reads) fall into different sets.
struct WinogradScratch {
  std::size_t v_row, v_position, m_row, m_position, m_panel, tile, u_position;
  std::size_t v, m, pixels, u, floats;  // where each part starts; all floats
};

inline std::size_t whole_lines(std::size_t floats) {
  return (floats + line_floats - 1) / line_floats * line_floats;
}
inline std::size_t odd_lines(std::size_t floats) { return (whole_lines(floats) | line_floats); }

inline std::size_t channels_at_a_time(const WinogradConvolution& layer, WinogradBlocking blocking) {
  const int32_t inputs = layer.filter.inputs, channels = blocking.channels;
  return static_cast<std::size_t>(channels > 0 ? std::min(channels, inputs) : inputs);
}

inline WinogradScratch layout(const WinogradConvolution& layer, WinogradBlocking blocking) {
  const std::size_t channels = channels_at_a_time(layer, blocking);
  const bool all = channels == static_cast<std::size_t>(layer.filter.inputs);
  const auto tiles = static_cast<std::size_t>(blocking.tiles);
  const auto depth = std::min(channels, static_cast<std::size_t>(blocking.depth));
  const auto panel = static_cast<std::size_t>(panel_channels());
  const auto outputs = static_cast<std::size_t>(layer.filter.outputs);
  WinogradScratch s{};
  s.v_row = whole_lines(channels) + (channels % 256 == 0 ? line_floats : 0);
  s.v_position = odd_lines(tiles * s.v_row);
  s.m_row = panel;
  s.m_position = odd_lines(tiles * s.m_row);
  s.m_panel = all ? 0 : positions * s.m_position;
  s.tile = whole_lines(channels);
  s.u_position = odd_lines(depth * panel);
  s.m = s.v + positions * s.v_position;
  s.pixels = s.m + (all ? 1 : (outputs + panel - 1) / panel) * positions * s.m_position;
  s.u = s.pixels + positions * s.tile;
  s.floats = s.u + (layer.transformed ? 0 : positions * s.u_position);
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

struct Channels {
  std::size_t first, last;
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

using Tiles = Span;  // of the grid, in its order

struct TileAt {
  int32_t y, x;  // of its first output
};

// The tiles of a region, row by row.
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

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
