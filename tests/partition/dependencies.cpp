#include "tests/partition/dependencies.hpp"

#include <cmath>

namespace shingle::oracle {

namespace {

using Index = std::array<int32_t, 3>;

Index index_of(Shape shape) { return {shape.h, shape.w, shape.c}; }

// Indices along one axis; negative ones and those from the size on are off the map.
using Along = std::vector<int32_t>;

Along all(int32_t size) {
  Along indices;
  for (int32_t i = 0; i < size; ++i) indices.push_back(i);
  return indices;
}

Along window_taps(const Window& window, int32_t o) {
  Along indices;
  for (int32_t t = 0; t < window.kernel; ++t) {
    indices.push_back(o * window.stride - window.pad_begin + t * window.dilation);
  }
  return indices;
}

Along transposed_sources(const Window& window, int32_t o, int32_t size) {
  Along indices;
  for (int32_t i = 0; i < size; ++i) {
    for (int32_t t = 0; t < window.kernel; ++t) {
      if (i * window.stride - window.pad_begin + t * window.dilation == o) indices.push_back(i);
    }
  }
  return indices;
}

Along group_members(int32_t groups, int32_t o, int32_t outputs, int32_t inputs) {
  Along indices;
  for (int32_t i = 0; i < inputs; ++i) {
    if (i / (inputs / groups) == o / (outputs / groups)) indices.push_back(i);
  }
  return indices;
}

// ONNX's Resize, implemented again from its specification (nearest rounds halves by the mode's
// name).
Along resize_sources(const Resize& op, float scale, int32_t o, int32_t in, int32_t out) {
  float at = 0.0F;
  using Coordinates = Resize::Coordinates;
  if (op.coordinates == Coordinates::asymmetric) {
    at = static_cast<float>(o) / scale;
  } else if (op.coordinates == Coordinates::align_corners) {
    if (out > 1)
      at = static_cast<float>(o) * static_cast<float>(in - 1) / static_cast<float>(out - 1);
  } else if (op.coordinates == Coordinates::half_pixel || out > 1) {
    at = (static_cast<float>(o) + 0.5F) / scale - 0.5F;
  }
  const auto clamp = [in](int32_t i) { return std::min(std::max(i, 0), in - 1); };
  const auto below = static_cast<int32_t>(std::floor(at));
  if (op.kind == Resize::Kind::linear) {
    if (at < 0.0F)
      return {clamp(0), clamp(1)};  // clamped to the first input, whose neighbour is also read
    return {clamp(below), clamp(below + 1)};
  }
  const float fraction = at - std::floor(at);
  switch (op.rounding) {
    case Resize::Rounding::prefer_floor:
      return {clamp(fraction > 0.5F ? below + 1 : below)};
    case Resize::Rounding::prefer_ceil:
      return {clamp(fraction >= 0.5F ? below + 1 : below)};
    case Resize::Rounding::floor:
      return {clamp(below)};
    case Resize::Rounding::ceil:
      return {clamp(static_cast<int32_t>(std::ceil(at)))};
  }
  return {};
}

// Writes the output index digit by digit, and composes the input index from the digits.
Index rearranged(const Rearrange& op, Index at) {
  std::vector<int32_t> digits(op.factors.size());
  for (size_t axis = 0; axis < 3; ++axis) {
    int32_t rest = at[axis];
    for (size_t i = op.output_axes[axis].size(); i-- > 0;) {
      const auto factor = static_cast<size_t>(op.output_axes[axis][i]);
      digits[factor] = rest % op.factors[factor];
      rest /= op.factors[factor];
    }
  }
  Index source{};
  for (size_t axis = 0; axis < 3; ++axis) {
    for (int32_t factor : op.input_axes[axis]) {
      source[axis] = source[axis] * op.factors[static_cast<size_t>(factor)] +
                     digits[static_cast<size_t>(factor)];
    }
  }
  return source;
}

// Per axis, the indices that are read. An element is read if each of its indices is.
struct Reader {
  Index in, out;
  size_t input;
  const Model& model;
  const Layer& layer;
  Index at;

  using Axes = std::array<Along, 3>;

  Axes same() const { return {{{at[0]}, {at[1]}, {at[2]}}}; }

  Axes operator()(const Convolution& op) const {
    return {window_taps(op.y, at[0]), window_taps(op.x, at[1]),
            group_members(op.groups, at[2], out[2], in[2])};
  }
  Axes operator()(const TransposedConvolution& op) const {
    return {transposed_sources(op.y, at[0], in[0]), transposed_sources(op.x, at[1], in[1]),
            group_members(op.groups, at[2], out[2], in[2])};
  }
  Axes operator()(const Pooling& op) const {
    return {window_taps(op.y, at[0]), window_taps(op.x, at[1]), {at[2]}};
  }
  Axes operator()(const Reduction& op) const {
    Axes axes = same();
    if (op.y) axes[0] = all(in[0]);
    if (op.x) axes[1] = all(in[1]);
    if (op.c) axes[2] = all(in[2]);
    return axes;
  }
  Axes operator()(const Elementwise&) const { return same(); }
  Axes operator()(const Binary&) const {
    Axes axes = same();
    for (size_t axis = 0; axis < 3; ++axis) {
      if (in[axis] == 1) axes[axis] = {0};
    }
    return axes;
  }
  Axes operator()(const Concat& op) const {
    Axes axes = same();
    const auto along = static_cast<size_t>(op.axis);
    for (size_t earlier = 0; earlier < input; ++earlier) {
      axes[along][0] -= index_of(model.at(layer.inputs[earlier]).shape)[along];
    }
    return axes;
  }
  Axes operator()(const StridedSlice& op) const {
    Axes axes;
    for (size_t axis = 0; axis < 3; ++axis) {
      axes[axis] = {op.begin[axis] + at[axis] * op.step[axis]};
    }
    return axes;
  }
  Axes operator()(const Gather& op) const {
    Axes axes = same();
    const auto along = static_cast<size_t>(op.axis);
    axes[along] = {op.indices[static_cast<size_t>(at[along])]};
    return axes;
  }
  Axes operator()(const Pad& op) const {
    Axes axes = same();
    for (size_t axis = 0; axis < 3; ++axis) axes[axis][0] -= op.before[axis];
    return axes;
  }
  Axes operator()(const Resize& op) const {
    return {resize_sources(op, op.scale_y, at[0], in[0], out[0]),
            resize_sources(op, op.scale_x, at[1], in[1], out[1]),
            {at[2]}};
  }
  Axes operator()(const Rearrange& op) const {
    const Index source = rearranged(op, at);
    return {{{source[0]}, {source[1]}, {source[2]}}};
  }
  Axes operator()(const Softmax& op) const {
    Axes axes = same();
    const auto along = static_cast<size_t>(op.axis);
    axes[along] = all(in[along]);
    if (op.axis == Axis::c) axes[2] = group_members(op.groups, at[2], in[2], in[2]);
    return axes;
  }
  Axes operator()(const Convert&) const { return same(); }
  Axes operator()(const MatrixProduct& op) const {
    const Along depth = group_members(op.stack, at[2], out[2], in[2]);
    if (input == 0) return {{{at[0]}, {at[1]}, depth}};
    if (!op.turned) return {{all(in[0]), all(in[1]), {at[2]}}};
    const int32_t column = at[2] % (in[0] * in[1]);
    return {{{column / in[1]}, {column % in[1]}, depth}};
  }
  Axes operator()(const GridSample&) const {
    if (input == 0) return {{{at[0]}, {at[1]}, {0, 1}}};
    return {{all(in[0]), all(in[1]), {at[2]}}};
  }
  // Every index along `axis`, and the element's own along the others, or 0 where there is only one.
  // None where the operand ends before it.
  Axes line(Axis axis) const {
    Axes axes = same();
    for (size_t i = 0; i < 3; ++i) {
      if (i == static_cast<size_t>(axis))
        axes[i] = all(in[i]);
      else if (in[i] == 1)
        axes[i] = {0};
      else if (at[i] >= in[i])
        axes[i] = {};
    }
    return axes;
  }
  Axes operator()(const Order& op) const { return line(op.axis); }
  Axes operator()(const Take& op) const {
    Axes axes = line(op.axis);
    const auto along = static_cast<size_t>(op.axis);
    if (input == 0) axes[along] = {at[along]};
    return axes;
  }
  Axes operator()(const Scatter& op) const { return input == 0 ? same() : line(op.axis); }
  Axes operator()(const Suppression&) const { return everything(); }
  Axes operator()(const NonZero&) const { return everything(); }
  Axes operator()(const Recurrence& op) const {
    if (input == 1) return {{{at[0]}, {0}, all(in[2])}};
    Along steps;
    for (int32_t step = 0; step < in[1]; ++step)
      if (op.backward ? step >= at[1] : step <= at[1]) steps.push_back(step);
    return {{{at[0]}, steps, all(in[2])}};
  }
  Axes everything() const { return {{all(in[0]), all(in[1]), all(in[2])}}; }
};

}  // namespace

std::vector<Element> dependencies(const Model& model, const Layer& layer, size_t input,
                                  Element at) {
  const Index in = index_of(model.at(layer.inputs[input]).shape);
  const Reader reader{.in = in,
                      .out = index_of(model.at(layer.output).shape),
                      .input = input,
                      .model = model,
                      .layer = layer,
                      .at = {at.y, at.x, at.c}};
  const Reader::Axes axes = std::visit(reader, layer.op);
  std::vector<Element> elements;
  for (int32_t y : axes[0]) {
    for (int32_t x : axes[1]) {
      for (int32_t c : axes[2]) {
        const bool on_map = 0 <= y && y < in[0] && 0 <= x && x < in[1] && 0 <= c && c < in[2];
        if (on_map) elements.push_back({y, x, c});
      }
    }
  }
  return elements;
}

Region dependency_hull(const Model& model, const Layer& layer, size_t input, const Region& output) {
  Region around;
  for (int32_t y = output.y.begin; y < output.y.end; ++y) {
    for (int32_t x = output.x.begin; x < output.x.end; ++x) {
      for (int32_t c = output.c.begin; c < output.c.end; ++c) {
        for (const Element& e : dependencies(model, layer, input, {y, x, c})) {
          around = hull(around, Region{{e.y, e.y + 1}, {e.x, e.x + 1}, {e.c, e.c + 1}});
        }
      }
    }
  }
  return around;
}

}  // namespace shingle::oracle
