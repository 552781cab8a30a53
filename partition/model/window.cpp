#include "partition/model/window.hpp"

#include <cassert>
#include <limits>

namespace shingle {

namespace {

// 64 bits, because a stride times an index may exceed 2^31 before it is clamped.
int64_t divide_down(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
int64_t divide_up(int64_t a, int64_t b) { return -divide_down(-a, b); }

int32_t clamp_to_map(int64_t index, int32_t size) {
  return static_cast<int32_t>(std::clamp<int64_t>(index, 0, size));
}

int64_t wide_extent(const Window& window) {
  return int64_t{window.kernel - 1} * window.dilation + 1;
}

// The smallest input from 0 on that a tap of `out` reads; if there is none, a value beyond every
// map.
int64_t first_met_on_map(const Window& window, Span out) {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (int64_t tap = 0; tap < window.kernel; ++tap) {
    const int64_t offset = tap * window.dilation - window.pad_begin;
    const int64_t o = std::max<int64_t>(out.begin, divide_up(-offset, window.stride));
    if (o < out.end) first = std::min(first, o * window.stride + offset);
  }
  return first;
}

// The largest input below `size` that a tap of `out` reads; if there is none, a value before every
// map.
int64_t last_met_on_map(const Window& window, Span out, int32_t size) {
  int64_t last = -1;
  for (int64_t tap = 0; tap < window.kernel; ++tap) {
    const int64_t offset = tap * window.dilation - window.pad_begin;
    const int64_t o = std::min<int64_t>(out.end - 1, divide_down(size - 1 - offset, window.stride));
    if (o >= out.begin) last = std::max(last, o * window.stride + offset);
  }
  return last;
}

// True if input `i` contributes to an output of `out`. Tap t contributes to output origin +
// t*dilation.
bool contributes(const Window& window, Span out, int64_t i) {
  const int64_t origin = i * window.stride - window.pad_begin;
  const int64_t first = std::max<int64_t>(0, divide_up(out.begin - origin, window.dilation));
  const int64_t last =
      std::min<int64_t>(window.kernel - 1, divide_down(out.end - 1 - origin, window.dilation));
  return first <= last;
}

}  // namespace

int32_t extent(const Window& window) { return static_cast<int32_t>(wide_extent(window)); }

int32_t output_size(const Window& window, int32_t size) {
  const int64_t room = int64_t{size} + window.pad_begin + window.pad_end - wide_extent(window);
  return room < 0 ? 0 : static_cast<int32_t>(room / window.stride + 1);
}

SpanDemand demand(const Window& window, Span out, int32_t size) {
  assert(!out.empty());
  const int64_t begin = int64_t{out.begin} * window.stride - window.pad_begin;
  const int64_t end = int64_t{out.end - 1} * window.stride - window.pad_begin + wide_extent(window);
  const int64_t first = begin >= 0 ? begin : first_met_on_map(window, out);
  const int64_t last = end <= size ? end - 1 : last_met_on_map(window, out, size);
  if (first >= size || last < 0) {
    const auto pads = static_cast<int32_t>(end - begin);
    return end <= 0 ? SpanDemand{{}, pads, 0} : SpanDemand{{}, 0, pads};
  }
  const Span span{static_cast<int32_t>(first), static_cast<int32_t>(last + 1)};
  return {span, static_cast<int32_t>(first - begin), static_cast<int32_t>(end - 1 - last)};
}

Span transposed_demand(const Window& window, Span out, int32_t size) {
  assert(!out.empty());
  const int64_t reach = wide_extent(window) - 1;
  Span span{
      clamp_to_map(divide_up(int64_t{out.begin} + window.pad_begin - reach, window.stride), size),
      clamp_to_map(divide_down(int64_t{out.end} - 1 + window.pad_begin, window.stride) + 1, size)};
  // A dilated kernel, or one shorter than its stride, leaves gaps: the ends may contribute to
  // nothing.
  while (!span.empty() && !contributes(window, out, span.begin)) ++span.begin;
  while (!span.empty() && !contributes(window, out, span.end - 1)) --span.end;
  return span.empty() ? Span{} : span;
}

}  // namespace shingle
