#include "devices/layers/native_layer.hpp"

#include <unistd.h>

#include <algorithm>
#include <cassert>

#include "devices/executor/view.hpp"
#include "devices/kernels/depthwise.hpp"
#include "devices/layers/kernel_rows.hpp"

namespace shingle {

namespace {

constexpr int64_t most_taps = 128;           // of our kernels
constexpr int32_t least_group_outputs = 16;  // fewer leave our registers half empty

// Weights of at least this many panels for each thread are shared out rather than pixels, so that
// no thread reads (or transforms) them all.
constexpr int32_t panels_worth_sharing = 4;

size_t level2_bytes() {
  static const size_t bytes = [] {
    const long known = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return known > 0 ? static_cast<size_t>(known) : size_t{512} * 1024;
  }();
  return bytes;
}

// The part of the convolution's own map that the pooled (or not) region stands for.
Region convolved(const Region& region, bool pool) {
  if (!pool) return region;
  return {{region.y.begin * 2, region.y.end * 2}, {region.x.begin * 2, region.x.end * 2}, region.c};
}

Span nth(Span span, int32_t unit, int32_t parts, int32_t index) {
  const int32_t first = span.begin / unit, units = (span.end + unit - 1) / unit - first;
  const auto border = [&](int64_t i) {
    const auto at = static_cast<int32_t>(first + units * i / parts) * unit;
    return std::clamp(at, span.begin, span.end);
  };
  return {border(index), border(int64_t{index} + 1)};
}

int32_t units(Span span, int32_t unit) { return (span.end + unit - 1) / unit - span.begin / unit; }

// How many of `parts` threads' turns are of use when `count` units are shared out.
double usefulness(int32_t count, int32_t parts) {
  return static_cast<double>(count) / ((count + parts - 1) / parts * parts);
}

}  // namespace

bool is_depthwise(const Model& model, const Layer& layer) {
  const std::optional<WeightedWindow> op = weighted_window(layer);
  return op && op->groups == model.at(layer.inputs[0]).shape.c &&
         op->groups == model.at(layer.output).shape.c;
}

bool runs_natively(const Model& model, const Layer& layer, Algorithm algorithm, Span channels) {
  const std::optional<WeightedWindow> op = weighted_window(layer);
  if (!op) return false;
  if (algorithm == Algorithm::winograd4) return winograd_fits(layer);
  const bool fits = op->transposed ? kernels::has_phases(op->y, op->x)
                                   : int64_t{op->y.kernel} * op->x.kernel <= most_taps;
  if (!fits) return false;
  if (is_depthwise(model, layer)) return true;
  const int32_t outputs = model.at(layer.output).shape.c;
  return op->groups == 1 || (!op->transposed && channels == Span{0, outputs} &&
                             outputs / op->groups >= least_group_outputs);
}

bool bits_are_ours(const Model& model, const Layer& layer, Algorithm algorithm) {
  return algorithm != Algorithm::direct || is_depthwise(model, layer) ||
         std::holds_alternative<TransposedConvolution>(layer.op);
}

bool pools_natively(const Model& model, const Layer& layer) {
  const auto* op = std::get_if<Convolution>(&layer.op);
  return op != nullptr && op->groups == 1 && !is_depthwise(model, layer) &&
         kernels::rises(layer.activation);
}

bool adds_natively(const Layer& layer) {
  return weighted_window(layer) && kernels::supported(layer.activation);
}

// How the threads share a region.
struct NativeLayer::Shares {
  enum class Along : uint8_t { rows, columns, panels } along = Along::rows;
  int32_t grid = 1;
  int32_t count = 1;
};

NativeLayer::NativeLayer(const Model& model, LayerId id, Algorithm algorithm, Span channels,
                         PackingRoom& room)
    : algorithm_(algorithm), channels_(channels) {
  const Layer& layer = model.at(id);
  assert(runs_natively(model, layer, algorithm, channels));
  const WeightedWindow op = *weighted_window(layer);
  depthwise_ = algorithm == Algorithm::direct && is_depthwise(model, layer);
  in_phases_ = op.transposed;
  filter_ = {.outputs = channels.size(),
             .inputs = depthwise_ ? 1 : model.at(layer.inputs[0]).shape.c / op.groups,
             .kernel_y = op.y.kernel,
             .kernel_x = op.x.kernel,
             .groups = depthwise_ ? channels.size() : op.groups};
  y_ = op.y;
  x_ = op.x;
  choose_form(room);
}

kernels::PhasedConvolution NativeLayer::phased() const {
  return {.filter = filter_,
          .y = y_,
          .x = x_,
          .depthwise = depthwise_,
          .packed = packed_ ? packed_->floats() : nullptr,
          .batch = batch()};
}

int32_t NativeLayer::panels() const {
  if (depthwise_) return 1;
  const int32_t wide = kernels::panel_channels(), outputs = filter_.outputs / filter_.groups;
  return (outputs + wide - 1) / wide * filter_.groups;
}

// Of the tiles that the cache holds, no more than there are.
kernels::WinogradBlocking NativeLayer::blocking(const Region& region, bool pool) const {
  kernels::WinogradBlocking best =
      kernels::winograd_blocking({.filter = filter_, .transformed = transformed_}, level2_bytes());
  if (blocks_.tiles > 0) best.tiles = blocks_.tiles;
  if (blocks_.depth > 0) best.depth = blocks_.depth;
  const Region whole_tiles = convolved(region, pool);
  best.tiles = std::min(best.tiles,
                        units(whole_tiles.y, winograd_grid) * units(whole_tiles.x, winograd_grid));
  return best;
}

// Half and twice the usual: what lies between is seldom told from noise.
std::vector<KernelBlocks> NativeLayer::ways_to_cut(const Region& region) const {
  std::vector<KernelBlocks> ways{{}};
  if (depthwise_) return ways;
  if (algorithm_ == Algorithm::direct) {
    constexpr int32_t most_pixels = 14;  // of a block
    const int64_t pixels = int64_t{region.y.size()} * region.x.size();
    for (const int32_t batch : {kernels::usual_batch / 2, kernels::usual_batch * 2})
      if (pixels > int64_t{std::min(batch, kernels::usual_batch)} * most_pixels)
        ways.push_back({.batch = batch});
    return ways;
  }
  const int32_t all = units(region.y, winograd_grid) * units(region.x, winograd_grid);
  const kernels::WinogradBlocking usual =
      kernels::winograd_blocking({.filter = filter_, .transformed = transformed_}, level2_bytes());
  for (const int32_t tiles : {usual.tiles / 2, usual.tiles * 2})
    if (std::min(tiles, usual.tiles) < all) ways.push_back({.tiles = tiles});
  for (const int32_t depth : {usual.depth / 2, usual.depth * 2})
    if (!transformed_ && std::min(depth, usual.depth) < filter_.inputs)
      ways.push_back({.depth = depth});
  return ways;
}

int64_t NativeLayer::scratch_bytes(const Region& region, bool pool) const {
  size_t floats = 0;
  if (algorithm_ == Algorithm::winograd4) {
    floats = kernels::winograd_scratch_floats({.filter = filter_, .transformed = transformed_},
                                              blocking(region, pool));
  } else if (in_phases_) {
    floats = kernels::phased_scratch_floats(phased());
  } else if (!depthwise_) {
    floats = kernels::direct_scratch_floats(filter_, batch());
  }
  return static_cast<int64_t>(bytes_of_floats(floats));
}

ThreadNeeds NativeLayer::needs(const Region& region, bool pool) const {
  const auto rows = static_cast<size_t>(convolved(region, pool).y.size());
  const size_t stride = in_phases_ ? 1 : static_cast<size_t>(y_.stride);
  const size_t input_rows =
      (rows + 8) * stride + static_cast<size_t>(extent(y_));  // rounded out by up to 3 each way
  return {.bytes = scratch_bytes(region, pool), .input_rows = input_rows, .output_rows = rows};
}

void NativeLayer::reserve(const Region& region, bool pool, ThreadScratch& scratch) const {
  scratch.reserve(needs(region, pool));
}

// Pixels are shared out where there are enough of them and few weights, else output channels.
NativeLayer::Shares NativeLayer::shares(const Region& region, bool pool, int32_t threads) const {
  if (threads == 1) return {};
  const int32_t grid = algorithm_ == Algorithm::winograd4 ? winograd_grid / (pool ? 2 : 1) : 1;
  const int32_t rows = units(region.y, grid), columns = units(region.x, grid);
  const double by_rows = usefulness(rows, threads), by_columns = usefulness(columns, threads);
  const double by_panels = usefulness(panels(), threads);
  if (filter_.groups == 1 && !depthwise_ &&
      (panels() >= panels_worth_sharing * threads || by_panels > std::max(by_rows, by_columns))) {
    return {Shares::Along::panels, 1, threads};
  }
  // A few for each thread, so that one that is slow, or late, leaves its share to the others.
  constexpr int32_t each = 3;
  if (rows >= each * threads) return {Shares::Along::rows, grid, each * threads};
  if (columns >= each * threads) return {Shares::Along::columns, grid, each * threads};
  if (by_rows >= by_columns) return {Shares::Along::rows, grid, threads};
  return {Shares::Along::columns, grid, threads};
}

LayerPart NativeLayer::part(const Region& region, const Shares& shares, int32_t index) const {
  LayerPart part{.region = region, .written = {}};
  switch (shares.along) {
    case Shares::Along::panels:
      part.panels = {panels() * index / shares.count, panels() * (index + 1) / shares.count};
      if (part.panels.empty()) part.region.y.end = part.region.y.begin;
      break;
    case Shares::Along::rows:
      part.region.y = nth(region.y, shares.grid, shares.count, index);
      break;
    case Shares::Along::columns:
      part.region.x = nth(region.x, shares.grid, shares.count, index);
      break;
  }
  part.written = part.region;
  const Span computed = channels_of(part.panels);
  part.written.c = {region.c.begin + computed.begin, region.c.begin + computed.end};
  return part;
}

// Of the layer's own, from 0.
Span NativeLayer::channels_of(Span panels) const {
  if (panels.end < 0 || filter_.groups != 1) return {0, filter_.outputs};
  const int32_t wide = kernels::panel_channels();
  return {panels.begin * wide, std::min(filter_.outputs, panels.end * wide)};
}

int64_t NativeLayer::operations(const Region& region, bool pool) const {
  const int64_t phases = in_phases_ ? int64_t{y_.stride} * x_.stride : 1;
  const int64_t taps = int64_t{filter_.kernel_y} * filter_.kernel_x;
  return convolved(region, pool).elements() * filter_.inputs * taps / phases;
}

std::vector<LayerPart> NativeLayer::parts(const Region& region, bool pool, int32_t threads) const {
  const bool shared = ThreadPool::worth_sharing(operations(region, pool));
  const Shares all = shares(region, pool, shared ? threads : 1);
  std::vector<LayerPart> parts;
  for (int32_t i = 0; i < all.count; ++i) {
    const LayerPart one = part(region, all, i);
    if (!one.region.empty()) parts.push_back(one);
  }
  return parts;
}

// Each part reads all weights: worth it where many pixels use them, or where there are few.
bool NativeLayer::divides(const Region& part, bool pool) const {
  if (pool || in_phases_ || algorithm_ == Algorithm::winograd4) return false;
  constexpr int64_t pixels_worth_the_weights = 32;
  return depthwise_ || panels() < panels_worth_sharing ||
         int64_t{part.y.size()} * part.x.size() >= pixels_worth_the_weights;
}

void NativeLayer::run(const NativeRun& run) const {
  const Region& region = run.region;
  const Shares shared = shares(region, run.pool, run.pool_of_threads.threads());
  run.pool_of_threads.for_each(shared.count, operations(region, run.pool),
                               [&](int index, int thread) {
                                 const LayerPart one = part(region, shared, index);
                                 if (!one.region.empty())
                                   run_part(run, one, *run.scratch[static_cast<size_t>(thread)]);
                               });
}

void NativeLayer::run_part(const NativeRun& run, const LayerPart& part,
                           ThreadScratch& scratch) const {
  const kernels::InputRows input = rows_of(run.input, run.held, scratch.input_rows);
  const kernels::OutputRows output = rows_of(run.output, part.region, scratch.output_rows);
  kernels::InputRows added;
  kernels::Epilogue epilogue;
  const bool fused = kernels::supported(run.activation);
  if (fused) epilogue.activation = run.activation;
  if (run.added) {
    added = rows_of(*run.added, part.region, scratch.added_rows);
    epilogue.residual = &added;
    epilogue.residual_after_activation = run.added_after_activation;
  }
  convolve(run, part, input, output, epilogue, reinterpret_cast<float*>(scratch.floats.data()));
  if (fused) return;
  activate_rows(run.activation, output, filter_.outputs, channels_of(part.panels));
}

void NativeLayer::convolve(const NativeRun& run, const LayerPart& part,
                           const kernels::InputRows& input, const kernels::OutputRows& output,
                           const kernels::Epilogue& epilogue, float* scratch) const {
  const float* packed = packed_->floats();
  const kernels::PanelRange panels{part.panels.begin, part.panels.end};
  if (in_phases_) {
    kernels::phased_convolution(phased(), input, output, epilogue, scratch, panels);
  } else if (depthwise_) {
    kernels::depthwise_convolution({filter_.outputs, y_, x_, packed}, input, output, epilogue);
  } else if (algorithm_ == Algorithm::winograd4) {
    kernels::winograd_convolution({.filter = filter_,
                                   .pad_y = y_.pad_begin,
                                   .pad_x = x_.pad_begin,
                                   .packed = packed,
                                   .transformed = transformed_},
                                  input, output,
                                  {.epilogue = epilogue,
                                   .pool = run.pool,
                                   .blocking = blocking(part.region, run.pool),
                                   .first_panel = panels.first,
                                   .last_panel = panels.last},
                                  scratch);
  } else {
    const auto direct = run.pool ? kernels::direct_convolution_pooled : kernels::direct_convolution;
    direct({filter_, y_, x_, packed, batch()}, input, output, epilogue, scratch, panels);
  }
}

}  // namespace shingle
