#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/kernels/direct.cpp"
#include "devices/kernels/targets.hpp"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <algorithm>
#include <cassert>

#include "devices/kernels/block-inl.hpp"
#include "devices/kernels/direct.hpp"
#include "devices/kernels/direct_gather-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

inline constexpr std::size_t most_taps = 128;

// The block's first pixel in its row `down` under every tap; null where all read padding.
inline void aim(const Job& job, const Pixels& block, int32_t down, std::size_t channel,
                const float** taps, BlockCall& call) {
  call.tap_count = 0;
  call.depth = job.depth;
  call.step = block.gathered ? static_cast<std::ptrdiff_t>(gathered_step(job.layer.filter))
                             : job.layer.x.stride * job.input.pixel;
  const float* gathered =
      block.gathered ? block.gathered + down * block.count * call.step : nullptr;
  for (int32_t ky = 0; ky < job.layer.y.kernel; ++ky) {
    const float* row = input_row(job.input, input_y(job.layer, block.y + down, ky));
    for (int32_t kx = 0; kx < static_cast<int32_t>(job.taps_x); ++kx) {
      const float*& tap = taps[call.tap_count++];
      if (is_padding(job, block, ky, kx))
        tap = nullptr;
      else if (gathered)
        tap = gathered +
              static_cast<std::size_t>(ky * static_cast<int32_t>(job.taps_x) + kx) * job.depth;
      else
        tap = row + (input_x(job.layer, block.x, kx) - job.input.columns.begin) * job.input.pixel +
              channel;
    }
  }
}

inline const float* residual_at(const Epilogue& epilogue, int32_t y, int32_t x) {
  const InputRows& r = *epilogue.residual;
  return r.row[y - r.rows.begin] + (x - r.columns.begin) * r.pixel;
}

inline void run_block(const Job& job, const Pixels& block, std::size_t channel_in,
                      std::size_t channel_out, BlockCall call, std::size_t vectors) {
  const float *taps[most_taps], *below[most_taps];
  aim(job, block, 0, channel_in, taps, call);
  call.taps = taps;
  const int32_t shrink = block.rows;
  call.output = job.output.row[block.y / shrink - job.output.rows.begin] +
                (block.x / shrink - job.output.columns.begin) * job.output.pixel + channel_out;
  if (shrink == 2) {
    aim(job, block, 1, channel_in, below, call);
    call.taps_below = below;
    return pooled_function(static_cast<std::size_t>(block.count / 2), vectors)(call);
  }
  if (job.epilogue.residual)
    call.residual = residual_at(job.epilogue, block.y, block.x) + channel_out;
  block_function(static_cast<std::size_t>(block.count), vectors)(call);
}

// Where the panels of one group start and end, in output channels.
struct Panel {
  std::size_t channel_in, channel_out, width, vectors;
  const float* packed;
};

inline Panel panel_at(const DirectConvolution& layer, std::size_t index) {
  const FilterShape& f = layer.filter;
  const auto outputs = static_cast<std::size_t>(f.outputs / f.groups);
  constexpr std::size_t full = block_vectors * lanes;
  const std::size_t per_group = (outputs + full - 1) / full;
  const std::size_t group = index / per_group, first = index % per_group * full;
  const std::size_t padded = (outputs + lanes - 1) / lanes * lanes;
  const std::size_t rows =
      1 + static_cast<std::size_t>(f.kernel_y * f.kernel_x) * static_cast<std::size_t>(f.inputs);
  const std::size_t width = std::min(full, outputs - first);
  return {group * static_cast<std::size_t>(f.inputs), group * outputs + first, width,
          (width + lanes - 1) / lanes, layer.packed + (group * padded + first) * rows};
}

inline void run_panel(const Job& job, const Panel& panel, const Pixels* blocks, std::size_t count) {
  BlockCall call;
  call.bias = panel.packed;
  call.weights = panel.packed + panel.vectors * lanes;
  call.output_step = job.output.pixel;
  call.width = panel.width;
  call.activation = &job.epilogue.activation;
  call.residual_after = job.epilogue.residual_after_activation;
  if (job.epilogue.residual) call.residual_step = job.epilogue.residual->pixel;
  for (std::size_t i = 0; i < count; ++i)
    run_block(job, blocks[i], panel.channel_in, panel.channel_out, call, panel.vectors);
}

// The blocks of a batch, gathered for the panels of one group.
struct Batch {
  Pixels blocks[max_batch];
  std::size_t count = 0, gathered = 0;
};

inline void run_batch(const Job& job, Batch& batch, float* scratch, std::size_t first,
                      std::size_t last) {
  std::size_t channel = static_cast<std::size_t>(-1);
  for (std::size_t p = first; p < last; ++p) {
    const Panel panel = panel_at(job.layer, p);
    if (panel.channel_in != channel) {
      channel = panel.channel_in;
      float* to = scratch;
      for (std::size_t i = 0; i < batch.count; ++i) {
        Pixels& block = batch.blocks[i];
        if (!block.gathered) continue;
        gather(job, block, channel, to);
        block.gathered = to;
        to += max_pixels * gathered_step(job.layer.filter);
      }
    }
    run_panel(job, panel, batch.blocks, batch.count);
  }
  batch.count = batch.gathered = 0;
}

inline bool rows_follow(const float* const* row, int32_t rows, std::ptrdiff_t length) {
  for (int32_t i = 0; i + 1 < rows; ++i)
    if (!row[i] || row[i + 1] != row[i] + length) return false;
  return rows > 0 && row[0];
}

inline bool stores(const InputRows& map, Span rows) {
  return map.rows.begin <= rows.begin && map.rows.end >= rows.end;
}
inline bool follows(const InputRows& map, Span rows) {
  return rows_follow(map.row + (rows.begin - map.rows.begin), rows.size(),
                     map.columns.size() * map.pixel);
}

// Do rows lie end to end where outputs go, and where what is added comes from?
inline bool rows_are_one(const OutputRows& output, const Epilogue& epilogue) {
  const InputRows* added = epilogue.residual;
  if (!rows_follow(output.row, output.rows.size(), output.columns.size() * output.pixel))
    return false;
  return !added || (added->columns == output.columns && stores(*added, output.rows) &&
                    follows(*added, output.rows));
}

// A 1x1 convolution whose input's rows do so too. REQUIRES: rows_are_one().
inline bool is_flat(const DirectConvolution& layer, const InputRows& input,
                    const OutputRows& output) {
  const auto plain = [](const Window& w) {
    return w.kernel == 1 && w.stride == 1 && w.pad_begin == 0;
  };
  return plain(layer.y) && plain(layer.x) && input.columns == output.columns &&
         stores(input, output.rows) && follows(input, output.rows);
}

// Blocks of rows of half a block or less would read all weights twice as often, and more. Worth a
// copy of the pixels as crowds_cache() is, and with fewer panels.
inline bool is_narrow(const OutputRows& output, std::size_t panels) {
  constexpr std::size_t panels_worth_a_copy = 2;
  return output.rows.size() > 1 && panels >= panels_worth_a_copy &&
         output.columns.size() * 2 <= static_cast<int32_t>(block_pixels);
}

inline void direct(const DirectConvolution& layer, const InputRows& input, const OutputRows& output,
                   const Epilogue& epilogue, float* scratch, PanelRange range, bool pool) {
  const FilterShape& f = layer.filter;
  const auto depth = static_cast<std::size_t>(f.inputs);
  // Taps of a row that lie side by side in memory are one tap (the first layer: 3 taps of 9
  // floats).
  const bool merged = layer.x.dilation == 1 && f.groups == 1 && input.pixel == f.inputs;
  const auto kernel_x = static_cast<std::size_t>(f.kernel_x);
  constexpr std::size_t full = block_vectors * lanes;
  const std::size_t outputs = static_cast<std::size_t>(f.outputs / f.groups);
  const std::size_t all = (outputs + full - 1) / full * static_cast<std::size_t>(f.groups);
  const std::size_t last = range.last < 0 ? all : static_cast<std::size_t>(range.last);
  const std::size_t panels = last - static_cast<std::size_t>(range.first);
  const bool one_row = !pool && rows_are_one(output, epilogue);
  const bool flat = one_row && is_flat(layer, input, output);
  const bool joined = one_row && !flat && is_narrow(output, panels);
  const Job job{layer,
                input,
                output,
                epilogue,
                merged,
                merged ? 1 : kernel_x,
                merged ? depth * kernel_x : depth,
                flat,
                joined,
                joined || crowds_cache(layer, input, panels)};

  Batch batch;
  const auto most_blocks = static_cast<std::size_t>(layer.batch);
  const std::size_t most_gathered = gathered_blocks(f, layer.batch);
  const auto add = [&](Pixels block) {
    if (job.crowded || (!job.flat && !readable_in_place(job, block)))
      block.gathered = scratch, ++batch.gathered;
    batch.blocks[batch.count++] = block;
    if (batch.count == most_blocks || batch.gathered == most_gathered)
      run_batch(job, batch, scratch, static_cast<std::size_t>(range.first), last);
  };
  // A line's pixels are shared out evenly over as few blocks as will do.
  const bool long_row = flat || joined;
  const int32_t lines = long_row ? 1 : output.rows.size();
  const int32_t line = output.columns.size() * (long_row ? output.rows.size() : 1);
  const auto most = static_cast<int32_t>(pool ? pooled_pixels : block_pixels);
  const int32_t blocks = (line - 1) / most + 1, grow = pool ? 2 : 1;
  for (int32_t y = 0; y < lines; ++y) {
    for (int32_t b = 0; b < blocks; ++b) {
      const auto begin = static_cast<int32_t>(int64_t{line} * b / blocks);
      const auto end = static_cast<int32_t>(int64_t{line} * (b + 1) / blocks);
      add({(output.rows.begin + y) * grow, (output.columns.begin + begin) * grow,
           (end - begin) * grow, grow, nullptr});
    }
  }
  if (batch.count) run_batch(job, batch, scratch, static_cast<std::size_t>(range.first), last);
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shingle::kernels {
HWY_EXPORT(direct);

std::size_t direct_scratch_floats(const FilterShape& filter, int32_t batch) {
  return gathered_blocks(filter, batch) * max_pixels * gathered_step(filter);
}

void direct_convolution(const DirectConvolution& layer, const InputRows& input,
                        const OutputRows& output, const Epilogue& epilogue, float* scratch,
                        PanelRange panels) {
  assert(layer.filter.kernel_y * layer.filter.kernel_x <= 128);
  assert(1 <= layer.batch && layer.batch <= max_batch);
  if (output.rows.empty() || output.columns.empty()) return;
  HWY_DYNAMIC_DISPATCH(direct)(layer, input, output, epilogue, scratch, panels, false);
}

bool rises(const Activation& activation) {
  using Kind = Activation::Kind;
  return activation.kind == Kind::none || activation.kind == Kind::relu ||
         activation.kind == Kind::clip ||
         (activation.kind == Kind::leaky_relu && activation.alpha >= 0);
}

void direct_convolution_pooled(const DirectConvolution& layer, const InputRows& input,
                               const OutputRows& output, const Epilogue& epilogue, float* scratch,
                               PanelRange panels) {
  assert(layer.filter.kernel_y * layer.filter.kernel_x <= 128);
  assert(1 <= layer.batch && layer.batch <= max_batch);
  assert(!epilogue.residual && rises(epilogue.activation));
  if (output.rows.empty() || output.columns.empty()) return;
  HWY_DYNAMIC_DISPATCH(direct)(layer, input, output, epilogue, scratch, panels, true);
}

}  // namespace shingle::kernels
#endif
