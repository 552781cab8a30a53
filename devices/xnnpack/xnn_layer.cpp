#include "devices/xnnpack/xnn_layer.hpp"

#include <algorithm>

#include "devices/plain/elementwise.hpp"

namespace shingle {

namespace {

// A strip and the input that it reads stay in the second-level cache of boards (0.5 to 1 MiB for
// four cores) and servers; the operator's fixed cost per strip stays below 1 %.
constexpr int64_t strip_bytes = 512 * 1024;

int64_t box_bytes(const Region& box) {
  return bytes_of(box, ElementType::f32) + xnnpack_extra_bytes;
}

Span reach(const Window& window, Span out) {
  const int32_t begin = out.begin * window.stride - window.pad_begin;
  return {begin, begin + (out.size() - 1) * window.stride + extent(window)};
}

}  // namespace

struct XnnLayer::Strips {
  int32_t rows = 1;  // of output, each
  int32_t count = 1;
};

// Fewer pixels than the kernels want are made up by further columns, computed and dropped.
Region XnnLayer::computed(const Region& region) const {
  Region result{region.y, region.x, outputs_};
  const int32_t columns = (least_pixels_ + region.y.size() - 1) / region.y.size();
  result.x.end = std::max(result.x.end, result.x.begin + columns);
  return result;
}

Region XnnLayer::input_of(const Region& computed) const {
  return {reach(y_, computed.y), reach(x_, computed.x), inputs_};
}

PaddedBox XnnLayer::input_box(const Region& region) const {
  return {input_of(computed(region)), neutral_};
}

XnnLayer::Strips XnnLayer::strips_of(const Region& computed, int threads) const {
  const int32_t height = computed.y.size(), width = computed.x.size();
  const int64_t most = strip_bytes * threads;
  const int64_t wanted = (bytes_of(computed, ElementType::f32) + most - 1) / most;
  const auto count = static_cast<int32_t>(std::min<int64_t>(wanted, height));
  const int32_t least_rows = (least_pixels_ + width - 1) / width;
  const int32_t rows = std::max((height + count - 1) / count, least_rows);
  return {rows, (height + rows - 1) / rows};
}

StripNeeds XnnLayer::needs(const Region& region, int threads) const {
  Region strip = computed(region);
  strip.y.end = strip.y.begin + strips_of(strip, threads).rows;
  return {.input_bytes = box_bytes(input_of(strip)), .output_bytes = box_bytes(strip)};
}

void XnnLayer::reserve(const Region& region, const ThreadPool& pool, StripBuffers& buffers) const {
  buffers.reserve(needs(region, pool.threads()));
}

// Where the operator reads `box`: in place if the rows lie there as it wants them, else in a copy
// with the border filled.
const float* XnnLayer::input_rows(const XnnLayerRun& run, const Region& box) const {
  const Region& there = run.input.region;
  const bool fits = there.x == box.x && there.c == box.c && there.y.begin <= box.y.begin &&
                    there.y.end >= box.y.end;
  if (fits && run.own_memory && (run.padded || contains(run.held, box))) {
    return at(run.input, box.y.begin, box.x.begin, box.c.begin);
  }
  const TensorView target{run.buffers.input.data(), box, ElementType::f32};
  const Region interior = intersect(run.held, box);
  fill_around(target, interior, neutral_);
  copy(run.input, target, interior);
  return reinterpret_cast<const float*>(target.data);
}

// Takes what of the strip is wanted to the output, through the activation.
void XnnLayer::finish(const XnnLayerRun& run, const TensorView& strip) const {
  const Region wanted = intersect(strip.region, run.region);
  const bool dense = dense_rows(strip.region, wanted) && dense_rows(run.output.region, wanted);
  const int32_t run_pixels = dense ? wanted.x.size() : 1;
  const int64_t count = int64_t{run_pixels} * wanted.c.size();
  const int64_t operations = wanted.elements() * cost_of(activation_);
  run.pool.for_each(wanted.y.size(), operations, [&](int row, int) {
    const int32_t y = wanted.y.begin + row;
    for (int32_t x = wanted.x.begin; x < wanted.x.end; x += run_pixels) {
      activate(activation_, at(strip, y, x, wanted.c.begin), at(run.output, y, x, wanted.c.begin),
               count);
    }
  });
}

Status XnnLayer::run(const XnnLayerRun& run) {
  const Region whole_region = computed(run.region);
  const Strips strips = strips_of(whole_region, run.pool.threads());
  // The output window's rows are as the operator writes them: no strip buffer, no copy.
  const bool in_place = whole_region == run.region && run.output.region.x == whole_region.x &&
                        run.output.region.c == whole_region.c;
  for (int32_t i = 0; i < strips.count; ++i) {
    Region strip = whole_region;
    strip.y.begin =
        std::min(whole_region.y.begin + i * strips.rows, whole_region.y.end - strips.rows);
    strip.y.end = strip.y.begin + strips.rows;
    const Region box = input_of(strip);
    const int32_t first = strip.y.begin, x = strip.x.begin, c = strip.c.begin;
    const TensorView target{in_place ? reinterpret_cast<std::byte*>(at(run.output, first, x, c))
                                     : run.buffers.output.data(),
                            strip, ElementType::f32};
    const Status done =
        operator_.run({.height = box.y.size(),
                       .width = box.x.size(),
                       .in = input_rows(run, box),
                       .out = at(target, first, x, c),
                       .pool = run.pool.handle_for(strip.elements() * operations_)});
    if (!done) return done;
    if (!in_place || activation_.kind != Activation::Kind::none) finish(run, target);
  }
  return success();
}

}  // namespace shingle
