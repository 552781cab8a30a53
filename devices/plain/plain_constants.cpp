#include "devices/plain/plain_operators.hpp"
#include "partition/model/digits.hpp"
#include "partition/model/resample.hpp"
#include "partition/model/shape.hpp"

namespace shingle {

namespace {

size_t index(int64_t value) { return static_cast<size_t>(value); }

std::vector<float> bias_of(const Model& model, std::optional<ConstantId> bias, int32_t channels) {
  std::vector<float> values(index(channels), 0.0F);
  if (!bias) return values;
  for (int32_t c = 0; c < channels; ++c) values[index(c)] = model.at(*bias)[c];
  return values;
}

struct Kernel {
  int32_t groups, inputs, outputs;  // channels per group
  int64_t taps;
};

// `source(group, tap, input, output)` is the place in the file's order.
template <class Source>
std::vector<float> packed(FloatView weights, const Kernel& kernel, Source source) {
  std::vector<float> result;
  result.reserve(index(weights.count));
  for (int32_t group = 0; group < kernel.groups; ++group) {
    for (int64_t tap = 0; tap < kernel.taps; ++tap) {
      for (int32_t input = 0; input < kernel.inputs; ++input) {
        for (int32_t output = 0; output < kernel.outputs; ++output) {
          result.push_back(weights[source(group, tap, input, output)]);
        }
      }
    }
  }
  return result;
}

struct Constants {
  const Model& model;
  const Layer& layer;
  PlainConstants& result;

  Shape in() const { return model.at(layer.inputs[0]).shape; }
  Shape out() const { return model.at(layer.output).shape; }

  template <class Op>
  Kernel kernel(const Op& op) const {
    return {op.groups, in().c / op.groups, out().c / op.groups, int64_t{op.y.kernel} * op.x.kernel};
  }

  void operator()(const Convolution& op) const {
    const Kernel k = kernel(op);
    result.bias = bias_of(model, op.bias, out().c);
    result.weights = packed(
        model.at(op.weights), k, [&](int64_t group, int64_t tap, int64_t input, int64_t output) {
          return ((group * k.outputs + output) * k.inputs + input) * k.taps + tap;
        });
  }
  void operator()(const TransposedConvolution& op) const {
    const Kernel k = kernel(op);
    result.bias = bias_of(model, op.bias, out().c);
    result.weights = packed(
        model.at(op.weights), k, [&](int64_t group, int64_t tap, int64_t input, int64_t output) {
          return ((group * k.inputs + input) * k.outputs + output) * k.taps + tap;
        });
  }

  // Axis by axis: the input index that output index i of that axis stands for.
  template <class InputOf>
  void move_along_axes(InputOf input_of) const {
    const std::array<int32_t, 3> sizes{out().h, out().w, out().c};
    for (size_t axis = 0; axis < 3; ++axis) {
      for (int32_t i = 0; i < sizes[axis]; ++i) {
        const int32_t from = input_of(axis, i);
        result.moves[axis].push_back(
            {axis == 0 ? from : 0, axis == 1 ? from : 0, axis == 2 ? from : 0});
      }
    }
  }
  void operator()(const StridedSlice& op) const {
    move_along_axes([&](size_t axis, int32_t i) { return op.begin[axis] + i * op.step[axis]; });
  }
  void operator()(const Gather& op) const {
    move_along_axes([&](size_t axis, int32_t i) {
      return axis == static_cast<size_t>(op.axis) ? op.indices[index(i)] : i;
    });
  }
  void operator()(const Resize& op) const {
    if (op.kind != Resize::Kind::nearest) return;
    const ResizeAxis y = resize_axis_y(op, in(), out()), x = resize_axis_x(op, in(), out());
    move_along_axes([&](size_t axis, int32_t i) {
      return axis == 2 ? i : resize_taps(axis == 0 ? y : x, i).first;
    });
  }
  // A factor's digit moves along one input axis, so the three output axes' parts simply add up.
  void operator()(const Rearrange& op) const {
    const std::vector<int64_t> strides = strides_in_axis(op.factors, op.input_axes);
    std::vector<size_t> input_axis(op.factors.size(), 0);
    for (size_t axis = 0; axis < 3; ++axis) {
      for (int32_t factor : op.input_axes[axis]) input_axis[index(factor)] = axis;
    }
    const std::array<int32_t, 3> sizes{out().h, out().w, out().c};
    for (size_t axis = 0; axis < 3; ++axis) {
      for (int32_t i = 0; i < sizes[axis]; ++i) {
        std::array<int64_t, 3> from{};
        int64_t rest = i;
        for (auto factor = op.output_axes[axis].rbegin(); factor != op.output_axes[axis].rend();
             ++factor) {
          const int32_t radix = op.factors[index(*factor)];
          from[input_axis[index(*factor)]] += rest % radix * strides[index(*factor)];
          rest /= radix;
        }
        result.moves[axis].push_back({static_cast<int32_t>(from[0]), static_cast<int32_t>(from[1]),
                                      static_cast<int32_t>(from[2])});
      }
    }
  }
  void operator()(const Pooling&) const {}
  void operator()(const Reduction&) const {}
  void operator()(const Elementwise&) const {}
  void operator()(const Binary&) const {}
  void operator()(const Concat&) const {}
  void operator()(const Pad&) const {}
  void operator()(const Softmax&) const {}
  void operator()(const Convert&) const {}
  void operator()(const MatrixProduct&) const {}
  void operator()(const GridSample&) const {}
  void operator()(const Order&) const {}
  void operator()(const Take&) const {}
  void operator()(const Scatter&) const {}
  void operator()(const Suppression&) const {}
  void operator()(const NonZero&) const {}
  void operator()(const Recurrence& op) const {
    const int32_t hidden = op.hidden;
    result.weights = packed(model.at(op.weights), {gates_of(op.kind), hidden, hidden, 1},
                            [&](int64_t gate, int64_t, int64_t before, int64_t unit) {
                              return (gate * hidden + unit) * hidden + before;
                            });
    result.bias = bias_of(model, op.state_bias, hidden);
    const std::vector<float> peepholes = bias_of(model, op.peepholes, 3 * hidden);
    result.bias.insert(result.bias.end(), peepholes.begin(), peepholes.end());
  }
};

bool whole_runs(const std::vector<Coordinate>& along_c) {
  for (size_t i = 1; i < along_c.size(); ++i) {
    const Coordinate &a = along_c[i - 1], &b = along_c[i];
    if (a.y != b.y || a.x != b.x || b.c != a.c + 1) return false;
  }
  return true;
}

}  // namespace

PlainConstants plain_constants(const Model& model, const Layer& layer) {
  PlainConstants result;
  std::visit(Constants{model, layer, result}, layer.op);
  result.whole_runs = whole_runs(result.moves[2]);
  return result;
}

int64_t PlainConstants::bytes() const {
  size_t total = bytes_of_floats(weights.capacity() + bias.capacity());
  for (const std::vector<Coordinate>& axis : moves) total += axis.capacity() * sizeof(Coordinate);
  return static_cast<int64_t>(total);
}

}  // namespace shingle
