// The blocks of a direct convolution, and the pixels that they read: in place, or gathered with the
// zeros of the padding.
#if defined(SHINGLE_KERNELS_DIRECT_GATHER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHINGLE_KERNELS_DIRECT_GATHER_INL
#undef SHINGLE_KERNELS_DIRECT_GATHER_INL
#else
#define SHINGLE_KERNELS_DIRECT_GATHER_INL
#endif

#include <algorithm>
#include <cstring>

#include "devices/kernels/direct.hpp"

#ifndef SHINGLE_KERNELS_DIRECT_GATHER_ONCE
#define SHINGLE_KERNELS_DIRECT_GATHER_ONCE
namespace shingle::kernels {

// Gathered blocks of a batch share scratch of at most a megabyte (or one block's, if that is more):
// with half of it ResNet-50, whose deepest maps are gathered, takes 4 % more time.
inline constexpr std::size_t gather_floats = 256 * 1024, max_pixels = 14;
// A gathered pixel's row is a cache line longer than it need be: rows of a power of two would fall
// into few L1 sets.
inline std::size_t gathered_step(const FilterShape& f) {
  const auto taps = static_cast<std::size_t>(f.kernel_y) * static_cast<std::size_t>(f.kernel_x);
  return (taps * static_cast<std::size_t>(f.inputs) + 15) / 16 * 16 + 16;
}
inline std::size_t gathered_blocks(const FilterShape& f, int32_t batch) {
  return std::clamp<std::size_t>(gather_floats / (max_pixels * gathered_step(f)), 1,
                                 static_cast<std::size_t>(batch));
}

}  // namespace shingle::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

// A call seen as a flat sequence of output pixels, row after row.
struct Job {
  const DirectConvolution& layer;
  const InputRows& input;
  const OutputRows& output;
  const Epilogue& epilogue;
  bool merged;                // the taps of a row lie side by side in memory, so they are one
  std::size_t taps_x, depth;  // per row of taps: taps_x times `depth` floats
  bool flat;                  // 1x1 over rows that follow each other without a gap: one long row
  bool joined;                // narrow rows: blocks go on from a row's end to the next one's start
  bool crowded;               // worth gathering although readable in place
};

// Where one block of outputs lies: `count` pixels of each of `rows` rows, before pooling. Where
// rows are one long row (flat, joined) x counts on through them. If it is not gathered, taps are
// found from (y, x).
struct Pixels {
  int32_t y = 0, x = 0, count = 0, rows = 1;
  const float* gathered = nullptr;
};

inline const float* input_row(const InputRows& input, int32_t y) {
  return y < input.rows.begin || y >= input.rows.end ? nullptr : input.row[y - input.rows.begin];
}

inline int32_t input_y(const DirectConvolution& layer, int32_t y, int32_t ky) {
  return y * layer.y.stride - layer.y.pad_begin + ky * layer.y.dilation;
}
inline int32_t input_x(const DirectConvolution& layer, int32_t x, int32_t kx) {
  return x * layer.x.stride - layer.x.pad_begin + kx * layer.x.dilation;
}

inline bool readable_in_place(const Job& job, const Pixels& block) {
  const auto& layer = job.layer;
  if (input_x(layer, block.x, 0) < job.input.columns.begin ||
      input_x(layer, block.x + block.count - 1, layer.x.kernel - 1) >= job.input.columns.end)
    return false;
  if (block.rows == 1) return true;  // is_padding() tells its taps
  for (int32_t y = block.y; y < block.y + block.rows; ++y)
    for (int32_t ky = 0; ky < layer.y.kernel; ++ky)
      if (!input_row(job.input, input_y(layer, y, ky))) return false;
  return true;
}

// Do all pixels of the block read padding under a tap? Not told of blocks of several rows, which
// gather zeros.
inline bool is_padding(const Job& job, const Pixels& block, int32_t ky, int32_t kx) {
  if (job.flat || job.joined || block.rows > 1) return false;
  if (!input_row(job.input, input_y(job.layer, block.y, ky))) return true;
  const Span stored = job.input.columns;
  return !job.merged && (input_x(job.layer, block.x + block.count - 1, kx) < stored.begin ||
                         input_x(job.layer, block.x, kx) >= stored.end);
}

// Pixels half an L1 way apart (64 sets of 64 bytes) share few sets: a block's rows of channels then
// push each other out again and again, once per panel. Only 1x1 filters read a pixel once a panel.
inline bool crowds_cache(const DirectConvolution& layer, const InputRows& input,
                         std::size_t panels) {
  constexpr std::ptrdiff_t crowded_step = 2048;
  constexpr std::size_t panels_worth_a_copy = 4;
  const auto step = layer.x.stride * input.pixel * static_cast<std::ptrdiff_t>(sizeof(float));
  return layer.filter.groups == 1 && layer.y.kernel == 1 && layer.x.kernel == 1 &&
         step % crowded_step == 0 && panels >= panels_worth_a_copy;
}

// The columns under one row of taps where they lie side by side: one copy instead of one of three
// channels for every tap of a first layer.
inline void gather_line(const Job& job, const float* row, int32_t first, float* to) {
  const Span stored = job.input.columns, taps{first, first + job.layer.x.kernel};
  const int32_t begin = std::clamp(stored.begin, taps.begin, taps.end);
  const int32_t end = std::clamp(stored.end, begin, taps.end);
  const auto bytes = [&](int32_t columns) {
    return static_cast<std::size_t>(columns * job.input.pixel) * sizeof(float);
  };
  std::memset(to, 0, bytes(begin - taps.begin));
  std::memcpy(to + (begin - taps.begin) * job.input.pixel,
              row + (begin - stored.begin) * job.input.pixel, bytes(end - begin));
  std::memset(to + (end - taps.begin) * job.input.pixel, 0, bytes(taps.end - end));
}

inline void gather_taps(const Job& job, const float* row, int32_t x, float* to) {
  const auto depth = static_cast<std::size_t>(job.layer.filter.inputs);
  for (int32_t kx = 0; kx < job.layer.x.kernel; ++kx, to += depth) {
    const int32_t column = input_x(job.layer, x, kx);
    if (column >= job.input.columns.begin && column < job.input.columns.end)
      std::memcpy(to, row + (column - job.input.columns.begin) * job.input.pixel,
                  depth * sizeof(float));
    else
      std::memset(to, 0, depth * sizeof(float));
  }
}

// Copies what one pixel reads of `group`, zeros for padding.
inline void gather_pixel(const Job& job, int32_t y, int32_t x, std::size_t channel, float* to) {
  const auto& layer = job.layer;
  const auto depth = static_cast<std::size_t>(layer.filter.inputs);
  if (job.flat) {
    std::memcpy(to, input_row(job.input, y) + (x - job.input.columns.begin) * job.input.pixel,
                depth * sizeof(float));
    return;
  }
  const auto line = depth * static_cast<std::size_t>(layer.x.kernel);
  for (int32_t ky = 0; ky < layer.y.kernel; ++ky, to += line) {
    const float* row = input_row(job.input, input_y(layer, y, ky));
    if (!row)
      std::memset(to, 0, line * sizeof(float));
    else if (job.merged)
      gather_line(job, row, input_x(layer, x, 0), to);
    else
      gather_taps(job, row + channel, x, to);
  }
}

inline void gather(const Job& job, const Pixels& block, std::size_t channel, float* to) {
  const Span columns = job.output.columns;
  for (int32_t i = 0; i < block.count * block.rows; ++i, to += gathered_step(job.layer.filter)) {
    const int32_t y = block.y + i / block.count, x = block.x + i % block.count;
    const int32_t down = job.joined ? (x - columns.begin) / columns.size() : 0;
    gather_pixel(job, y + down, x - down * columns.size(), channel, to);
  }
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
