// Every operator here is separable, or (Rearrange) a sum of parts that each depend on one axis, or
// (MatrixProduct) depends on the output's channels alone where it is not. So
// the smallest and the largest index on each axis give the hull, at the cost of the box's edges
// instead of its volume.
#include "partition/model/receptive_field.hpp"

#include <limits>

#include "partition/model/resample.hpp"

namespace shingle {
namespace {

// The smallest and the largest index that was seen on an axis of `size`; indices off the axis are
// ignored.
class Seen {
 public:
  explicit Seen(int32_t size) : size_(size) {}
  void add(int64_t index) {
    if (index < 0 || index >= size_) return;
    low_ = std::min(low_, index);
    high_ = std::max(high_, index);
  }
  bool all() const { return low_ == 0 && high_ == size_ - 1; }
  Span span() const {
    if (high_ < low_) return {};
    return {static_cast<int32_t>(low_), static_cast<int32_t>(high_ + 1)};
  }

 private:
  int64_t size_;
  int64_t low_ = std::numeric_limits<int64_t>::max(), high_ = -1;
};

// `reads(o, seen)` adds what output index o reads.
template <class Reads>
Span walk(Span out, int32_t size, Reads reads) {
  Seen seen(size);
  for (int32_t o = out.begin; o < out.end && !seen.all(); ++o) reads(o, seen);
  return seen.span();
}

Span taps(const Window& window, Span out, int32_t size) {
  return walk(out, size, [&](int64_t o, Seen& seen) {
    for (int64_t t = 0; t < window.kernel; ++t) {
      seen.add(o * window.stride - window.pad_begin + t * window.dilation);
    }
  });
}

// Input i reaches the output o when o = i*stride - pad_begin + t*dilation for some tap t.
Span transposed_taps(const Window& window, Span out, int32_t size) {
  return walk(out, size, [&](int64_t o, Seen& seen) {
    for (int64_t t = 0; t < window.kernel; ++t) {
      const int64_t scaled = o + window.pad_begin - t * window.dilation;
      if (scaled % window.stride == 0) seen.add(scaled / window.stride);
    }
  });
}

Span group_channels(int32_t groups, Span out, int32_t out_channels, int32_t in_channels) {
  const int32_t per_group_out = out_channels / groups, per_group_in = in_channels / groups;
  return walk(out, in_channels, [&](int32_t o, Seen& seen) {
    const int32_t group = o / per_group_out;
    seen.add(int64_t{group} * per_group_in);
    seen.add(int64_t{group + 1} * per_group_in - 1);
  });
}

Span shifted(Span out, int32_t size, int64_t begin, int64_t step) {
  return walk(out, size, [&](int64_t o, Seen& seen) { seen.add(begin + o * step); });
}

Span same_or_broadcast(Span out, int32_t size) { return size == 1 ? Span{0, 1} : out; }

// Index of each of a region's three spans in an array, so that operators with an Axis can index it.
struct Spans {
  Span at[3];
  explicit Spans(const Region& region) : at{region.y, region.x, region.c} {}
  Region region() const {
    const Region all{at[0], at[1], at[2]};
    return all.empty() ? Region{} : all;
  }
};

struct Field {
  const Model& model;
  const Layer& layer;
  size_t input;
  Region out;
  Shape in_shape, out_shape;

  Region box(Span y, Span x, Span c) const {
    const Region all{y, x, c};
    return all.empty() ? Region{} : all;
  }
  int32_t in_size(int axis) const {
    return axis == 0 ? in_shape.h : axis == 1 ? in_shape.w : in_shape.c;
  }

  Region operator()(const Convolution& op) const {
    return box(taps(op.y, out.y, in_shape.h), taps(op.x, out.x, in_shape.w),
               group_channels(op.groups, out.c, out_shape.c, in_shape.c));
  }
  Region operator()(const TransposedConvolution& op) const {
    return box(transposed_taps(op.y, out.y, in_shape.h), transposed_taps(op.x, out.x, in_shape.w),
               group_channels(op.groups, out.c, out_shape.c, in_shape.c));
  }
  Region operator()(const Pooling& op) const {
    return box(taps(op.y, out.y, in_shape.h), taps(op.x, out.x, in_shape.w), out.c);
  }
  Region operator()(const Reduction& op) const {
    return box(op.y ? Span{0, in_shape.h} : out.y, op.x ? Span{0, in_shape.w} : out.x,
               op.c ? Span{0, in_shape.c} : out.c);
  }
  Region operator()(const Elementwise&) const { return out; }
  Region operator()(const Convert&) const { return out; }
  Region operator()(const Binary&) const {
    return box(same_or_broadcast(out.y, in_shape.h), same_or_broadcast(out.x, in_shape.w),
               same_or_broadcast(out.c, in_shape.c));
  }
  Region operator()(const Concat& op) const {
    const int axis = static_cast<int>(op.axis);
    int64_t offset = 0;
    for (size_t i = 0; i < input; ++i) {
      const Shape shape = model.at(layer.inputs[i]).shape;
      offset += axis == 0 ? shape.h : axis == 1 ? shape.w : shape.c;
    }
    Spans spans(out);
    spans.at[axis] = shifted(spans.at[axis], in_size(axis), -offset, 1);
    return spans.region();
  }
  Region operator()(const StridedSlice& op) const {
    Spans spans(out);
    for (int axis = 0; axis < 3; ++axis) {
      const auto i = static_cast<size_t>(axis);
      spans.at[axis] = shifted(spans.at[axis], in_size(axis), op.begin[i], op.step[i]);
    }
    return spans.region();
  }
  Region operator()(const Gather& op) const {
    const int axis = static_cast<int>(op.axis);
    Spans spans(out);
    spans.at[axis] = walk(spans.at[axis], in_size(axis), [&](int32_t o, Seen& seen) {
      seen.add(op.indices[static_cast<size_t>(o)]);
    });
    return spans.region();
  }
  Region operator()(const Pad& op) const {
    Spans spans(out);
    for (int axis = 0; axis < 3; ++axis) {
      const auto i = static_cast<size_t>(axis);
      spans.at[axis] = shifted(spans.at[axis], in_size(axis), -int64_t{op.before[i]}, 1);
    }
    return spans.region();
  }
  Region operator()(const Resize& op) const {
    const auto along = [](const ResizeAxis& axis, Span span) {
      return walk(span, axis.input_size, [&](int32_t o, Seen& seen) {
        const ResizeTaps read = resize_taps(axis, o);
        seen.add(read.first);
        seen.add(read.second);
      });
    };
    return box(along(resize_axis_y(op, in_shape, out_shape), out.y),
               along(resize_axis_x(op, in_shape, out_shape), out.x), out.c);
  }
  Region operator()(const Rearrange& op) const;
  Region operator()(const Softmax& op) const {
    const int axis = static_cast<int>(op.axis);
    Spans spans(out);
    spans.at[axis] = {0, in_size(axis)};
    if (op.axis == Axis::c)
      spans.at[axis] = group_channels(op.groups, out.c, in_shape.c, in_shape.c);
    return spans.region();
  }
  // Output channel o is column o % columns of matrix o / columns.
  Region operator()(const MatrixProduct& op) const {
    const Span depth = group_channels(op.stack, out.c, out_shape.c, in_shape.c);
    if (input == 0) return box(out.y, out.x, depth);
    if (!op.turned) return box({0, in_shape.h}, {0, in_shape.w}, out.c);
    const int32_t width = in_shape.w, columns = in_shape.h * width;
    const auto pixels = [&](int32_t size, auto coordinate) {
      return walk(out.c, size, [&](int32_t o, Seen& seen) { seen.add(coordinate(o % columns)); });
    };
    return box(pixels(in_shape.h, [&](int32_t pixel) { return pixel / width; }),
               pixels(width, [&](int32_t pixel) { return pixel % width; }), depth);
  }
  Region operator()(const GridSample&) const {
    if (input == 0) return box(out.y, out.x, {0, in_size(2)});
    return box({0, in_size(0)}, {0, in_size(1)}, out.c);
  }
  // `out` on the axes of an operand that may have size 1, and every index along `axis`.
  Region all_of(Axis axis) const {
    Spans spans(out);
    for (int i = 0; i < 3; ++i) {
      if (in_size(i) == 1 || i == static_cast<int>(axis)) spans.at[i] = {0, in_size(i)};
      spans.at[i].end = std::min(spans.at[i].end, in_size(i));
    }
    return spans.region();
  }
  Region operator()(const Order& op) const { return all_of(op.axis); }
  Region operator()(const Take& op) const {
    if (input == 1) return all_of(op.axis);
    Spans spans(out);
    for (int i = 0; i < 3; ++i)
      if (in_size(i) == 1) spans.at[i] = {0, 1};
    return spans.region();
  }
  Region operator()(const Scatter& op) const { return input == 0 ? out : all_of(op.axis); }
  Region operator()(const Suppression&) const { return everything(); }
  Region operator()(const NonZero&) const { return everything(); }
  Region operator()(const Recurrence& op) const {
    if (input == 1) return box(out.y, {0, 1}, {0, in_size(2)});
    const Span steps = op.backward ? Span{out.x.begin, in_size(1)} : Span{0, out.x.end};
    return box(out.y, steps, {0, in_size(2)});
  }
  Region everything() const { return box({0, in_size(0)}, {0, in_size(1)}, {0, in_size(2)}); }
};

// For each factor of a Rearrange: its input axis, and how far one step moves along it.
struct Move {
  size_t axis = 0;
  int64_t stride = 1;
};

std::vector<Move> input_moves(const Rearrange& op) {
  std::vector<Move> moves(op.factors.size());
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t stride = 1;
    const std::vector<int32_t>& order = op.input_axes[axis];
    for (auto factor = order.rbegin(); factor != order.rend(); ++factor) {
      moves[static_cast<size_t>(*factor)] = {axis, stride};
      stride *= op.factors[static_cast<size_t>(*factor)];
    }
  }
  return moves;
}

// What index o of the output axis adds to the index on each input axis.
std::array<int64_t, 3> parts(const Rearrange& op, const std::vector<Move>& moves, size_t axis,
                             int64_t o) {
  std::array<int64_t, 3> part{0, 0, 0};
  const std::vector<int32_t>& order = op.output_axes[axis];
  for (auto factor = order.rbegin(); factor != order.rend(); ++factor) {
    const auto f = static_cast<size_t>(*factor);
    part[moves[f].axis] += o % op.factors[f] * moves[f].stride;
    o /= op.factors[f];
  }
  return part;
}

// The indices on the three output axes are independent. So the smallest input index is the sum of
// the smallest parts, and the largest is the sum of the largest.
Region Field::operator()(const Rearrange& op) const {
  const std::vector<Move> moves = input_moves(op);
  const Spans spans(out);
  std::array<int64_t, 3> low{0, 0, 0}, high{0, 0, 0};
  for (size_t axis = 0; axis < 3; ++axis) {
    std::array<int64_t, 3> least = parts(op, moves, axis, spans.at[axis].begin), most = least;
    for (int32_t o = spans.at[axis].begin; o < spans.at[axis].end; ++o) {
      const std::array<int64_t, 3> part = parts(op, moves, axis, o);
      for (size_t a = 0; a < 3; ++a) {
        least[a] = std::min(least[a], part[a]);
        most[a] = std::max(most[a], part[a]);
      }
    }
    for (size_t a = 0; a < 3; ++a) {
      low[a] += least[a];
      high[a] += most[a];
    }
  }
  const auto span = [&](size_t a) {
    return Span{static_cast<int32_t>(low[a]), static_cast<int32_t>(high[a] + 1)};
  };
  return box(span(0), span(1), span(2));
}

}  // namespace

Region receptive_field(const Model& model, const Layer& layer, size_t input, const Region& output) {
  const Shape in_shape = model.at(layer.inputs[input]).shape;
  const Shape out_shape = model.at(layer.output).shape;
  return std::visit(Field{model, layer, input, output, in_shape, out_shape}, layer.op);
}

}  // namespace shingle
