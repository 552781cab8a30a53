#include "devices/kernels/transposed.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <vector>

#include "devices/kernels/depthwise.hpp"

namespace shingle::kernels {

namespace {

constexpr int32_t most_taps = 128;     // of a phase: the kernels' limit
constexpr int32_t most_phases = 1024;  // a stride of 32 along both axes, as the coarsest nets have

// The outputs of one remainder along one axis.
struct AxisPhase {
  int32_t taps_before = 0;  // in phases of smaller remainders
  int32_t first_tap = 0, tap_step = 1;
  Window window;  // what the phase's convolution reads
};

AxisPhase axis_phase(const Window& w, int32_t remainder) {
  const int32_t common = std::gcd(w.stride, w.dilation);
  AxisPhase phase{.tap_step = w.stride / common,
                  .window = {.kernel = 0, .stride = 1, .dilation = w.dilation / common}};
  int32_t last_tap = 0;
  for (int32_t t = 0; t < w.kernel; ++t) {
    const auto of_tap = static_cast<int32_t>(int64_t{t} * w.dilation % w.stride);
    phase.taps_before += of_tap < remainder ? 1 : 0;
    if (of_tap != remainder) continue;
    if (phase.window.kernel == 0) phase.first_tap = t;
    last_tap = t;
    ++phase.window.kernel;
  }
  phase.window.pad_begin =
      static_cast<int32_t>((int64_t{last_tap} * w.dilation - remainder) / w.stride);
  if (phase.window.kernel == 0) phase.window.pad_begin = 0;
  return phase;
}

// One phase of the map.
struct Phase {
  AxisPhase y, x;
  FilterShape filter;
  std::size_t offset = 0;  // of its packed weights
};

std::size_t packed_floats_of(const PhasedConvolution& layer, const FilterShape& filter) {
  return layer.depthwise ? depthwise_floats(filter.outputs, filter.kernel_y, filter.kernel_x)
                         : packed_floats(filter);
}

// Phases are packed by remainder, those of the first row first. Their floats are linear in their
// taps.
Phase phase_at(const PhasedConvolution& layer, int32_t remainder_y, int32_t remainder_x) {
  Phase phase{axis_phase(layer.y, remainder_y), axis_phase(layer.x, remainder_x), layer.filter};
  phase.filter.kernel_y = phase.y.window.kernel;
  phase.filter.kernel_x = phase.x.window.kernel;
  FilterShape one = layer.filter;
  one.kernel_y = one.kernel_x = 0;
  const std::size_t bias = packed_floats_of(layer, one);
  one.kernel_y = one.kernel_x = 1;
  const std::size_t tap = packed_floats_of(layer, one) - bias;
  const int64_t phases = int64_t{remainder_y} * layer.x.stride + remainder_x;
  const int64_t taps = int64_t{phase.y.taps_before} * layer.x.kernel +
                       int64_t{phase.y.window.kernel} * phase.x.taps_before;
  phase.offset = static_cast<std::size_t>(phases) * bias + static_cast<std::size_t>(taps) * tap;
  // Without taps along one axis there are none.
  if (phase.filter.kernel_y == 0 || phase.filter.kernel_x == 0)
    phase.y.window.kernel = phase.x.window.kernel = phase.filter.kernel_y = phase.filter.kernel_x =
        0;
  return phase;
}

template <class Function>
void each_phase(const PhasedConvolution& layer, const Function& f) {
  for (int32_t y = 0; y < layer.y.stride; ++y)
    for (int32_t x = 0; x < layer.x.stride; ++x) f(phase_at(layer, y, x));
}

// [channels][phase's kernel y][phase's kernel x] of [channels][kernel y][kernel x].
std::vector<float> weights_of(const Phase& phase, const PhasedConvolution& layer,
                              std::size_t channels, const float* weights) {
  const auto map = static_cast<std::size_t>(layer.filter.kernel_y * layer.filter.kernel_x);
  std::vector<float> result;
  result.reserve(channels *
                 static_cast<std::size_t>(phase.filter.kernel_y * phase.filter.kernel_x));
  const auto tap = [](const AxisPhase& along, int32_t index) {
    return along.first_tap + (along.window.kernel - 1 - index) * along.tap_step;
  };
  for (std::size_t c = 0; c < channels; ++c)
    for (int32_t ky = 0; ky < phase.filter.kernel_y; ++ky)
      for (int32_t kx = 0; kx < phase.filter.kernel_x; ++kx)
        result.push_back(
            weights[c * map + static_cast<std::size_t>(tap(phase.y, ky) * layer.filter.kernel_x +
                                                       tap(phase.x, kx))]);
  return result;
}

// Of the outputs `part` along an axis those of one remainder: number m of `steps` is output
// m * stride + shift.
struct Comb {
  Span steps;
  int32_t shift = 0;

  Comb(const Window& w, Span part, int32_t remainder) : shift(remainder - w.pad_begin) {
    const auto first = [&](int32_t from) { return (from - shift + w.stride - 1) / w.stride; };
    steps = {first(part.begin), first(part.end)};
  }
};

// Rows of a phase that are computed in turn. Row pointers of so many fit the stack.
constexpr int32_t most_rows = 64;
template <class Float>
using RowArray = std::array<Float*, most_rows>;

// The pixels of `map` that belong to a phase, as a map of their own.
template <class Map, class Float>
Map thinned(const Map& map, const PhasedConvolution& layer, const Comb& y, const Comb& x,
            RowArray<Float>& rows) {
  const int32_t first = x.steps.begin * layer.x.stride + x.shift - map.columns.begin;
  for (int32_t m = y.steps.begin; m < y.steps.end; ++m)
    rows[static_cast<std::size_t>(m - y.steps.begin)] =
        map.row[m * layer.y.stride + y.shift - map.rows.begin] + first * map.pixel;
  return {rows.data(), y.steps, x.steps, map.pixel * layer.x.stride};
}

struct Call {
  const PhasedConvolution& layer;
  const InputRows& input;
  const OutputRows& output;
  const Epilogue& epilogue;
  float* scratch;
  PanelRange panels;
};

void run_phase(const Call& call, Span rows, int32_t remainder_y, int32_t remainder_x) {
  const PhasedConvolution& layer = call.layer;
  const Comb y(layer.y, rows, remainder_y), x(layer.x, call.output.columns, remainder_x);
  const Phase phase = phase_at(layer, remainder_y, remainder_x);
  RowArray<float> output_rows;
  RowArray<const float> added_rows;
  const OutputRows output = thinned(call.output, layer, y, x, output_rows);
  Epilogue epilogue = call.epilogue;
  InputRows added;
  if (epilogue.residual) {
    added = thinned(*epilogue.residual, layer, y, x, added_rows);
    epilogue.residual = &added;
  }
  const float* packed = layer.packed + phase.offset;
  if (layer.depthwise) {
    depthwise_convolution({layer.filter.outputs, phase.y.window, phase.x.window, packed},
                          call.input, output, epilogue);
  } else {
    direct_convolution({phase.filter, phase.y.window, phase.x.window, packed, layer.batch},
                       call.input, output, epilogue, call.scratch, call.panels);
  }
}

// Calls f(remainder) for each remainder that outputs of `part` have.
template <class Function>
void each_remainder(const Window& w, Span part, const Function& f) {
  for (int32_t o = part.begin; o < std::min(part.end, part.begin + w.stride); ++o)
    f((o + w.pad_begin) % w.stride);
}

// A batch of blocks reads the weights once: so many rows of a phase that it is full. All phases of
// these rows find their inputs, and the lines of the output that they share, in the cache.
int32_t rows_in_turn(const PhasedConvolution& layer, const OutputRows& output) {
  constexpr int32_t block_pixels = 14;
  const int32_t columns = output.columns.size() / layer.x.stride + 1;
  return std::clamp(layer.batch * block_pixels / columns, 1, most_rows) * layer.y.stride;
}

}  // namespace

bool has_phases(const Window& y, const Window& x) {
  // Phases without taps hold nothing but their bias.
  const auto is_dense = [](const Window& w) { return w.stride <= int64_t{2} * w.kernel; };
  if (!is_dense(y) || !is_dense(x) || int64_t{y.stride} * x.stride > most_phases) return false;
  const auto taps = [](const Window& w) {
    const int32_t step = w.stride / std::gcd(w.stride, w.dilation);
    return int64_t{w.kernel + step - 1} / step;  // of the phase that has most
  };
  return taps(y) * taps(x) <= most_taps;
}

std::size_t phased_floats(const PhasedConvolution& layer) {
  const Phase last = phase_at(layer, layer.y.stride - 1, layer.x.stride - 1);
  return last.offset + packed_floats_of(layer, last.filter);
}

void pack_phases(const PhasedConvolution& layer, Span part, const float* weights,
                 std::span<const float> bias, float* packed) {
  assert(!layer.depthwise && layer.filter.groups == 1 && part.begin % panel_channels() == 0);
  each_phase(layer, [&](const Phase& phase) {
    FilterShape own = phase.filter, before = phase.filter;
    own.outputs = part.size();
    before.outputs = part.begin;
    const auto filters =
        static_cast<std::size_t>(part.size()) * static_cast<std::size_t>(own.inputs);
    pack(own, weights_of(phase, layer, filters, weights).data(), bias,
         packed + phase.offset + packed_floats(before));
  });
}

void pack_depthwise_phases(const PhasedConvolution& layer, const float* weights,
                           std::span<const float> bias, float* packed) {
  assert(layer.depthwise);
  const auto channels = static_cast<std::size_t>(layer.filter.outputs);
  each_phase(layer, [&](const Phase& phase) {
    pack_depthwise(layer.filter.outputs, phase.filter.kernel_y, phase.filter.kernel_x,
                   weights_of(phase, layer, channels, weights).data(), bias, packed + phase.offset);
  });
}

std::size_t phased_scratch_floats(const PhasedConvolution& layer) {
  std::size_t floats = 0;
  if (layer.depthwise) return floats;
  each_phase(layer, [&](const Phase& phase) {
    floats = std::max(floats, direct_scratch_floats(phase.filter, layer.batch));
  });
  return floats;
}

void phased_convolution(const PhasedConvolution& layer, const InputRows& input,
                        const OutputRows& output, const Epilogue& epilogue, float* scratch,
                        PanelRange panels) {
  assert(has_phases(layer.y, layer.x));
  if (output.rows.empty() || output.columns.empty()) return;
  const Call call{layer, input, output, epilogue, scratch, panels};
  const int32_t height = rows_in_turn(layer, output);
  for (int32_t y = output.rows.begin; y < output.rows.end; y += height) {
    const Span rows{y, std::min(y + height, output.rows.end)};
    each_remainder(layer.y, rows, [&](int32_t remainder_y) {
      each_remainder(layer.x, output.columns,
                     [&](int32_t remainder_x) { run_phase(call, rows, remainder_y, remainder_x); });
    });
  }
}

}  // namespace shingle::kernels
