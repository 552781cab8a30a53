#include "partition/demand.hpp"

#include <cassert>

#include "partition/digits.hpp"
#include "partition/resample.hpp"

namespace shingle {

namespace {

// Channels of the groups that the output channels `out` belong to.
Span group_channels(Span out, int32_t groups, int32_t output_channels, int32_t input_channels) {
  const int32_t outputs = output_channels / groups, inputs = input_channels / groups;
  return {out.begin / outputs * inputs, ((out.end - 1) / outputs + 1) * inputs};
}

Span shifted(Span span, int32_t by) { return {span.begin + by, span.end + by}; }

Span broadcast(Span out, int32_t input_size) { return input_size == 1 ? Span{0, 1} : out; }

Span strided(Span out, int32_t begin, int32_t step) {
  const int64_t first = begin + int64_t{out.begin} * step;
  const int64_t last = begin + int64_t{out.end - 1} * step;
  return {static_cast<int32_t>(std::min(first, last)),
          static_cast<int32_t>(std::max(first, last) + 1)};
}

Span gathered(Span out, const std::vector<int32_t>& indices) {
  const auto [low, high] =
      std::minmax_element(indices.begin() + out.begin, indices.begin() + out.end);
  return {*low, *high + 1};
}

Span resampled(Span out, const ResizeAxis& axis) {
  return {resize_taps(axis, out.begin).first, resize_taps(axis, out.end - 1).second + 1};
}

// The least and the most that a sum of weighted digits takes over a range of indices.
struct Extremes {
  int64_t least = 0, most = 0;
};

// One digit of an output axis: its radix and how far it moves along the input axis at hand (0: it
// stands in another).
struct Digit {
  int32_t radix = 1;
  int64_t weight = 0;
};

// Extremes over the indices [first, last] of the digits from `at` on (most significant first).
// Where a digit takes several values, the lower ones run up to their ends below its last value and
// from zero below its second: only the two ends of the range need a closer look.
Extremes digit_extremes(const std::vector<Digit>& digits, size_t at, int64_t first, int64_t last) {
  if (at == digits.size()) return {};
  int64_t below = 1, all_below = 0;  // indices and weighted sum that the lower digits reach
  for (size_t i = at + 1; i < digits.size(); ++i) {
    below *= digits[i].radix;
    all_below += digits[i].weight * (digits[i].radix - 1);
  }
  const int64_t weight = digits[at].weight;
  const int64_t low = first / below, high = last / below;
  if (low == high) {
    const Extremes rest = digit_extremes(digits, at + 1, first % below, last % below);
    return {low * weight + rest.least, low * weight + rest.most};
  }
  const Extremes start = digit_extremes(digits, at + 1, first % below, below - 1);
  const Extremes end = digit_extremes(digits, at + 1, 0, last % below);
  return {std::min(low * weight + start.least, (low + 1) * weight),
          std::max(high * weight + end.most, (high - 1) * weight + all_below)};
}

// The three output axes' digits move an input index independently: their extremes add up.
Region rearranged(const Rearrange& op, const Region& output) {
  const std::vector<int64_t> strides = strides_in_axis(op.factors, op.input_axes);
  const std::array<Span, 3> out{output.y, output.x, output.c};
  std::array<Span, 3> in;
  for (size_t input_axis = 0; input_axis < 3; ++input_axis) {
    std::vector<int64_t> weights(op.factors.size(), 0);
    for (int32_t factor : op.input_axes[input_axis]) {
      weights[static_cast<size_t>(factor)] = strides[static_cast<size_t>(factor)];
    }
    Extremes sum;
    for (size_t output_axis = 0; output_axis < 3; ++output_axis) {
      std::vector<Digit> digits;
      for (int32_t factor : op.output_axes[output_axis]) {
        const auto index = static_cast<size_t>(factor);
        digits.push_back({op.factors[index], weights[index]});
      }
      const Extremes part =
          digit_extremes(digits, 0, out[output_axis].begin, out[output_axis].end - 1);
      sum = {sum.least + part.least, sum.most + part.most};
    }
    in[input_axis] = {static_cast<int32_t>(sum.least), static_cast<int32_t>(sum.most + 1)};
  }
  return {in[0], in[1], in[2]};
}

Span& along(Region& region, Axis axis) {
  switch (axis) {
    case Axis::y:
      return region.y;
    case Axis::x:
      return region.x;
    case Axis::c:
      break;
  }
  return region.c;
}

struct Demand {
  const Model& model;
  const Layer& layer;
  size_t input;
  const Region& out;

  Shape in() const { return model.at(layer.inputs[input]).shape; }
  Shape result() const { return model.at(layer.output).shape; }

  Region operator()(const Convolution& op) const {
    return {shingle::demand(op.y, out.y, in().h).span, shingle::demand(op.x, out.x, in().w).span,
            group_channels(out.c, op.groups, result().c, in().c)};
  }
  Region operator()(const TransposedConvolution& op) const {
    return {transposed_demand(op.y, out.y, in().h), transposed_demand(op.x, out.x, in().w),
            group_channels(out.c, op.groups, result().c, in().c)};
  }
  Region operator()(const Pooling& op) const {
    return {shingle::demand(op.y, out.y, in().h).span, shingle::demand(op.x, out.x, in().w).span,
            out.c};
  }
  Region operator()(const Reduction& op) const {
    const Region all = whole(in());
    return {op.y ? all.y : out.y, op.x ? all.x : out.x, op.c ? all.c : out.c};
  }
  Region operator()(const Elementwise&) const { return out; }
  Region operator()(const Binary&) const {
    return {broadcast(out.y, in().h), broadcast(out.x, in().w), broadcast(out.c, in().c)};
  }
  Region operator()(const Concat& op) const {
    Region region = out;
    Span& span = along(region, op.axis);
    for (size_t earlier = 0; earlier < input; ++earlier) {
      Region before = whole(model.at(layer.inputs[earlier]).shape);
      span = shifted(span, -along(before, op.axis).size());
    }
    return region;  // clamped by the caller
  }
  Region operator()(const StridedSlice& op) const {
    return {strided(out.y, op.begin[0], op.step[0]), strided(out.x, op.begin[1], op.step[1]),
            strided(out.c, op.begin[2], op.step[2])};
  }
  Region operator()(const Gather& op) const {
    Region region = out;
    Span& span = along(region, op.axis);
    span = gathered(span, op.indices);
    return region;
  }
  Region operator()(const Pad& op) const {
    return {shifted(out.y, -op.before[0]), shifted(out.x, -op.before[1]),
            shifted(out.c, -op.before[2])};
  }
  Region operator()(const Resize& op) const {
    return {resampled(out.y, resize_axis_y(op, in(), result())),
            resampled(out.x, resize_axis_x(op, in(), result())), out.c};
  }
  Region operator()(const Rearrange& op) const { return rearranged(op, out); }
  Region operator()(const Softmax& op) const {
    Region region = out, all = whole(in());
    along(region, op.axis) = along(all, op.axis);
    return region;
  }
  Region operator()(const Convert&) const { return out; }
};

// The most significant factor above 1 of an axis; none for an axis of size 1.
std::optional<int32_t> leading_factor(const Rearrange& op, const std::vector<int32_t>& axis) {
  for (int32_t factor : axis) {
    if (op.factors[static_cast<size_t>(factor)] > 1) return factor;
  }
  return std::nullopt;
}

// Neighbours in the output are neighbours in the input if each spatial input axis is led by the
// digit that leads a spatial output axis: a lower digit would wrap round within any window, a
// channel digit runs from end to end.
bool keeps_neighbours(const Rearrange& op) {
  const std::optional<int32_t> output_y = leading_factor(op, op.output_axes[0]);
  const std::optional<int32_t> output_x = leading_factor(op, op.output_axes[1]);
  for (size_t axis = 0; axis < 2; ++axis) {
    const std::optional<int32_t> input = leading_factor(op, op.input_axes[axis]);
    if (input && input != output_y && input != output_x) return false;
  }
  return true;
}

struct SpatiallyLocal {
  Shape input;

  bool operator()(const Reduction& op) const {
    return (!op.y || input.h == 1) && (!op.x || input.w == 1);
  }
  bool operator()(const Softmax& op) const {
    return op.axis == Axis::c || (op.axis == Axis::y ? input.h : input.w) == 1;
  }
  // Indices may jump about.
  bool operator()(const Gather& op) const {
    return op.axis == Axis::c || (op.axis == Axis::y ? input.h : input.w) == 1;
  }
  bool operator()(const Rearrange& op) const { return keeps_neighbours(op); }
  bool operator()(const Convolution&) const { return true; }
  bool operator()(const TransposedConvolution&) const { return true; }
  bool operator()(const Pooling&) const { return true; }
  bool operator()(const Elementwise&) const { return true; }
  bool operator()(const Binary&) const { return true; }
  bool operator()(const Concat&) const { return true; }
  bool operator()(const StridedSlice&) const { return true; }
  bool operator()(const Pad&) const { return true; }
  bool operator()(const Resize&) const { return true; }
  bool operator()(const Convert&) const { return true; }
};

}  // namespace

Region demand(const Model& model, const Layer& layer, size_t input, const Region& output) {
  assert(!output.empty() && contains(whole(model.at(layer.output).shape), output));
  assert(input < layer.inputs.size());
  const Region needed = std::visit(Demand{model, layer, input, output}, layer.op);
  return intersect(needed, whole(model.at(layer.inputs[input]).shape));
}

bool is_spatially_local(const Model& model, const Layer& layer) {
  return std::visit(SpatiallyLocal{model.at(layer.inputs[0]).shape}, layer.op);
}

}  // namespace shingle
