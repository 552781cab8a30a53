#include "partition/model/shape.hpp"

#include <cmath>
#include <numeric>

#include "partition/model/digits.hpp"
#include "partition/model/each_constant.hpp"

namespace shingle {

namespace {

using Extent = std::array<int64_t, 3>;  // y, x, c before the limits are checked

// The output extents that an operator allows; `usual` lies between `least` and `most`.
struct Allowed {
  Extent usual, least, most;
};
using AllowedResult = Result<Allowed>;

Extent extent_of(Shape shape) { return {shape.h, shape.w, shape.c}; }
Allowed exactly(Extent extent) { return {extent, extent, extent}; }
size_t index_of(Axis axis) { return static_cast<size_t>(axis); }

bool within_limits(const Extent& extent) {
  for (int64_t size : extent) {
    if (size < 1 || size > max_axis) return false;
  }
  // Two axes of at most 2^30 make at most 2^60; the third is compared by division.
  return extent[0] * extent[1] <= max_elements / extent[2];
}

bool sound(const Window& window) {
  const auto in = [](int32_t value, int32_t low) { return value >= low && value <= max_window; };
  return in(window.kernel, 1) && in(window.stride, 1) && in(window.dilation, 1) &&
         in(window.pad_begin, 0) && in(window.pad_end, 0) &&
         int64_t{window.kernel - 1} * window.dilation < max_axis;
}

Error bad_window() {
  return Error{"its kernel, stride, dilation or padding is out of range (1 to " +
               std::to_string(max_window) + ", padding from 0)"};
}

// How far the window can move on the map; negative if it does not fit.
int64_t room(const Window& window, int32_t size) {
  return int64_t{size} + window.pad_begin + window.pad_end - extent(window);
}

std::optional<int64_t> count_of(const Model& model, ConstantId id) {
  if (id.value >= model.constants.size()) return std::nullopt;
  const int64_t count = model.at(id).count;
  return count < 0 ? std::nullopt : std::optional<int64_t>(count);
}

// Number of channels in the weights, if each channel has `per_channel` of them and the bias agrees.
Result<int64_t> channels_of(const Model& model, ConstantId weights, std::optional<ConstantId> bias,
                            int64_t per_channel, int32_t groups) {
  const std::optional<int64_t> count = count_of(model, weights);
  if (!count || *count == 0 || *count % per_channel != 0) {
    return Error{"its weights do not hold a whole number of channels of " +
                 std::to_string(per_channel) + " values"};
  }
  const int64_t channels = *count / per_channel;
  if (channels > max_axis || channels % groups != 0) {
    return Error{"its " + std::to_string(channels) + " output channels do not divide into " +
                 std::to_string(groups) + " groups"};
  }
  if (bias && count_of(model, *bias) != channels) {
    return Error{"its bias does not hold one value for each of " + std::to_string(channels) +
                 " output channels"};
  }
  return channels;
}

Status check_groups(int32_t groups, Shape input) {
  if (groups >= 1 && input.c % groups == 0) return success();
  return Error{"its " + std::to_string(input.c) + " input channels do not divide into " +
               std::to_string(groups) + " groups"};
}

struct Inference {
  const Model& model;
  std::span<const TensorId> inputs;

  Shape shape(size_t input) const { return model.at(inputs[input]).shape; }

  AllowedResult operator()(const Convolution& op) const {
    if (!sound(op.y) || !sound(op.x)) return bad_window();
    const Status groups = check_groups(op.groups, shape(0));
    if (!groups) return groups.failure();
    const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;  // at most 2^40
    const int64_t group_channels = shape(0).c / op.groups;
    if (taps > max_elements / group_channels) return Error{"its kernel is too large"};
    const Result<int64_t> channels =
        channels_of(model, op.weights, op.bias, taps * group_channels, op.groups);
    if (!channels) return channels.failure();
    return exactly({output_size(op.y, shape(0).h), output_size(op.x, shape(0).w), *channels});
  }

  AllowedResult operator()(const TransposedConvolution& op) const {
    if (!sound(op.y) || !sound(op.x)) return bad_window();
    const Status groups = check_groups(op.groups, shape(0));
    if (!groups) return groups.failure();
    const int64_t taps = int64_t{op.y.kernel} * op.x.kernel;
    if (taps > max_elements / shape(0).c) return Error{"its kernel is too large"};
    // Weights are [input channels][output channels / groups][taps].
    const Result<int64_t> group_outputs =
        channels_of(model, op.weights, std::nullopt, taps * shape(0).c, 1);
    if (!group_outputs) return group_outputs.failure();
    const int64_t channels = *group_outputs * op.groups;
    if (op.bias && count_of(model, *op.bias) != channels) {
      return Error{"its bias does not hold one value for each output channel"};
    }
    const auto grown = [](const Window& window, int32_t size) {
      return int64_t{size - 1} * window.stride + extent(window) - window.pad_begin - window.pad_end;
    };
    return Allowed{{grown(op.y, shape(0).h), grown(op.x, shape(0).w), channels},
                   {1, 1, channels},
                   {max_axis, max_axis, channels}};
  }

  AllowedResult operator()(const Pooling& op) const {
    if (!sound(op.y) || !sound(op.x)) return bad_window();
    const auto rounded_up = [](const Window& window, int32_t size) {
      const int64_t steps = room(window, size) + window.stride - 1;
      return steps < 0 ? 0 : steps / window.stride + 1;
    };
    const Shape in = shape(0);
    if (op.kind == Pooling::Kind::max_place && int64_t{in.h} * in.w > max_index)
      return Error{"its places are too large for a 32-bit float"};
    const Extent floor{output_size(op.y, in.h), output_size(op.x, in.w), in.c};
    return Allowed{floor, floor, {rounded_up(op.y, in.h), rounded_up(op.x, in.w), in.c}};
  }

  AllowedResult operator()(const Reduction& op) const {
    const Shape in = shape(0);
    if (op.kind == Reduction::Kind::arg_max) {
      if (int{op.y} + int{op.x} + int{op.c} != 1)
        return Error{"its index is not along exactly one axis"};
      if ((op.y ? in.h : op.x ? in.w : in.c) > max_index) {
        return Error{"its index is too large for a 32-bit float"};
      }
    }
    return exactly({op.y ? 1 : in.h, op.x ? 1 : in.w, op.c ? 1 : in.c});
  }

  AllowedResult operator()(const Elementwise&) const { return exactly(extent_of(shape(0))); }

  AllowedResult operator()(const Binary&) const {
    Extent out{};
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t a = extent_of(shape(0))[axis], b = extent_of(shape(1))[axis];
      if (a != b && a != 1 && b != 1) {
        return Error{"its operands " + to_string(shape(0)) + " and " + to_string(shape(1)) +
                     " cannot be broadcast to one shape"};
      }
      out[axis] = std::max(a, b);
    }
    return exactly(out);
  }

  AllowedResult operator()(const Concat& op) const {
    Extent out = extent_of(shape(0));
    const size_t along = index_of(op.axis);
    for (size_t input = 1; input < inputs.size(); ++input) {
      Extent next = extent_of(shape(input));
      out[along] += next[along];
      next[along] = out[along];
      if (next != out) {
        return Error{"its operands " + to_string(shape(0)) + " and " + to_string(shape(input)) +
                     " differ on an axis that is not concatenated"};
      }
      if (out[along] > max_axis) return Error{"its output is too large"};
    }
    return exactly(out);
  }

  AllowedResult operator()(const StridedSlice& op) const {
    Extent out{};
    for (size_t axis = 0; axis < 3; ++axis) {
      const int64_t size = extent_of(shape(0))[axis], begin = op.begin[axis], step = op.step[axis];
      if (step == 0 || begin < 0 || begin >= size) {
        return Error{"its slice begins off the map or has step 0"};
      }
      out[axis] = step > 0 ? (size - 1 - begin) / step + 1 : begin / -step + 1;
    }
    return Allowed{out, {1, 1, 1}, out};
  }

  AllowedResult operator()(const Gather& op) const {
    Extent out = extent_of(shape(0));
    for (int32_t index : op.indices) {
      if (index < 0 || index >= out[index_of(op.axis)]) {
        return Error{"its index " + std::to_string(index) + " lies off the map " +
                     to_string(shape(0))};
      }
    }
    out[index_of(op.axis)] = static_cast<int64_t>(op.indices.size());
    return exactly(out);
  }

  AllowedResult operator()(const Pad& op) const {
    Extent out = extent_of(shape(0));
    for (size_t axis = 0; axis < 3; ++axis) {
      if (op.before[axis] < 0 || op.after[axis] < 0) return Error{"its padding is negative"};
      out[axis] += int64_t{op.before[axis]} + op.after[axis];
    }
    return exactly(out);
  }

  AllowedResult operator()(const Resize& op) const {
    const auto sound_scale = [](float scale) { return std::isfinite(scale) && scale > 0.0F; };
    if (!sound_scale(op.scale_y) || !sound_scale(op.scale_x)) {
      return Error{"its scale is not a positive number"};
    }
    const auto scaled = [](int32_t size, float scale) {
      const double product = std::floor(double{scale} * size);
      return product > max_axis ? int64_t{max_axis} + 1 : static_cast<int64_t>(product);
    };
    const Shape in = shape(0);
    return Allowed{{scaled(in.h, op.scale_y), scaled(in.w, op.scale_x), in.c},
                   {1, 1, in.c},
                   {max_axis, max_axis, in.c}};
  }

  AllowedResult operator()(const Rearrange& op) const {
    const Extent in = extent_of(shape(0));
    Extent out{};
    if (op.factors.size() > max_factors) return Error{"it has too many factors"};
    if (!each_factor_once(op.factors, op.input_axes) ||
        !each_factor_once(op.factors, op.output_axes)) {
      return Error{"its factors do not each stand once in its input and output axes"};
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      if (product(op.factors, op.input_axes[axis]) != in[axis]) {
        return Error{"its factors do not make up the input " + to_string(shape(0))};
      }
      out[axis] = product(op.factors, op.output_axes[axis]).value_or(0);
    }
    return exactly(out);
  }

  AllowedResult operator()(const Softmax& op) const {
    if (op.axis != Axis::c && op.groups != 1) return Error{"its groups are not along the channels"};
    const Status groups = check_groups(op.groups, shape(0));
    if (!groups) return groups.failure();
    return exactly(extent_of(shape(0)));
  }

  AllowedResult operator()(const Convert& op) const {
    const auto channels = static_cast<size_t>(shape(0).c);
    if (op.scale.size() != channels || op.offset.size() != channels) {
      return Error{"it does not have one scale and one offset for each of " +
                   std::to_string(channels) + " channels"};
    }
    return exactly(extent_of(shape(0)));
  }

  AllowedResult operator()(const MatrixProduct& op) const {
    const Shape first = shape(0), second = shape(1);
    for (const Shape& operand : {first, second}) {
      if (op.stack >= 1 && operand.c % op.stack == 0) continue;
      return Error{"its " + std::to_string(operand.c) + " channels do not divide into " +
                   std::to_string(op.stack) + " matrices"};
    }
    const int64_t pixels = int64_t{second.h} * second.w;  // at most max_elements
    if ((op.turned ? second.c / op.stack : pixels) != first.c / op.stack) {
      return Error{"its operands " + to_string(first) + " and " + to_string(second) +
                   " differ in what is summed"};
    }
    return exactly({first.h, first.w, op.turned ? op.stack * pixels : second.c});
  }

  AllowedResult operator()(const GridSample&) const {
    const Shape places = shape(0);
    if (places.c != 2) {
      return Error{"its places " + to_string(places) + " are not pairs of coordinates"};
    }
    return exactly({places.h, places.w, shape(1).c});
  }

  AllowedResult operator()(const Order& op) const {
    Extent out = extent_of(shape(0));
    int64_t& size = out[index_of(op.axis)];
    if (op.count < 1 || op.count > size) {
      return Error{"it takes " + std::to_string(op.count) + " of " + std::to_string(size) +
                   " elements"};
    }
    if (size > max_index) return Error{"its indices are too large for a 32-bit float"};
    size = op.count;
    return exactly(out);
  }

  // The extents of `map` with as many elements along `axis` as there are indices.
  AllowedResult taken(Shape indices, Shape map, Axis axis) const {
    const Extent given = extent_of(indices);
    Extent out = extent_of(map);
    if (out[index_of(axis)] > max_index)
      return Error{"its indices are too large for a 32-bit float"};
    for (size_t i = 0; i < 3; ++i) {
      if (i == index_of(axis) || given[i] == 1 || given[i] == out[i]) continue;
      return Error{"its indices " + to_string(indices) + " do not fit the map " + to_string(map)};
    }
    out[index_of(axis)] = given[index_of(axis)];
    return exactly(out);
  }

  AllowedResult operator()(const Take& op) const { return taken(shape(0), shape(1), op.axis); }

  AllowedResult operator()(const Scatter& op) const {
    const Extent map = extent_of(shape(0)), updates = extent_of(shape(2));
    for (size_t i = 0; i < 3; ++i) {
      if (i == index_of(op.axis) || updates[i] <= map[i]) continue;
      return Error{"its updates " + to_string(shape(2)) + " do not fit the map " +
                   to_string(shape(0))};
    }
    const AllowedResult fit = taken(shape(1), shape(2), op.axis);
    if (!fit) return fit.failure();
    if (fit->usual != updates) {
      return Error{"it has not as many indices " + to_string(shape(1)) + " as updates " +
                   to_string(shape(2))};
    }
    return exactly(map);
  }

  AllowedResult operator()(const Suppression& op) const {
    const Shape boxes = shape(0), scores = shape(1);
    if (boxes.c != 4 || boxes.h != scores.h || boxes.w != scores.w) {
      return Error{"its boxes " + to_string(boxes) + " do not fit its scores " + to_string(scores)};
    }
    if (op.most_boxes < 1 || op.most_boxes > boxes.w || boxes.w > max_index) {
      return Error{"it keeps " + std::to_string(op.most_boxes) + " of " + std::to_string(boxes.w) +
                   " boxes"};
    }
    return exactly({1, most_rows(op, scores), 3});
  }

  AllowedResult operator()(const NonZero&) const {
    const int64_t elements = shape(0).elements();
    if (elements > max_index) return Error{"its places are too large for a 32-bit float"};
    return exactly({1, elements, 1});
  }

  AllowedResult operator()(const Recurrence& op) const {
    const Shape gates = shape(0);
    if (op.hidden < 1 || op.hidden > max_axis / 4) return Error{"its hidden size is out of range"};
    const int64_t hidden = op.hidden, count = gates_of(op.kind);
    if (gates.c != count * hidden) {
      return Error{"its " + std::to_string(gates.c) + " channels are not " + std::to_string(count) +
                   " gates of " + std::to_string(hidden)};
    }
    const auto holds = [&](std::optional<ConstantId> id, int64_t values) {
      return !id || count_of(model, *id) == values;
    };
    if (hidden * hidden > max_elements / count || !holds(op.weights, count * hidden * hidden) ||
        !holds(op.state_bias, hidden) || !holds(op.peepholes, 3 * hidden)) {
      return Error{"its weights do not fit its hidden size " + std::to_string(hidden)};
    }
    const int64_t state = op.kind == Recurrence::Kind::lstm ? 2 * hidden : hidden;
    if (inputs.size() == 2 && extent_of(shape(1)) != Extent{gates.h, 1, state}) {
      return Error{"its first state " + to_string(shape(1)) + " does not fit its gates " +
                   to_string(gates)};
    }
    if (!op.lengths.empty() && std::ssize(op.lengths) != gates.h) {
      return Error{"it has not one length for each of " + std::to_string(gates.h) + " sequences"};
    }
    for (const int32_t length : op.lengths) {
      if (length < 0 || length > gates.w)
        return Error{"its length " + std::to_string(length) + " is out of range"};
    }
    return exactly({gates.h, gates.w, state});
  }
};

constexpr size_t any_number = SIZE_MAX;

struct InputCount {
  size_t least = 1, most = 1;
};

struct Inputs {
  InputCount operator()(const Concat&) const { return {1, any_number}; }
  InputCount operator()(const Binary&) const { return {2, 2}; }
  InputCount operator()(const MatrixProduct&) const { return {2, 2}; }
  InputCount operator()(const GridSample&) const { return {2, 2}; }
  InputCount operator()(const Take&) const { return {2, 2}; }
  InputCount operator()(const Scatter&) const { return {3, 3}; }
  InputCount operator()(const Suppression&) const { return {2, 2}; }
  InputCount operator()(const Recurrence&) const { return {1, 2}; }
  template <class Other>
  InputCount operator()(const Other&) const {
    return {1, 1};
  }
};

Status check_inputs(const Model& model, const Operator& op, std::span<const TensorId> inputs) {
  const InputCount wanted = std::visit(Inputs{}, op);
  if (inputs.size() < wanted.least || inputs.size() > wanted.most) {
    const char* rest = wanted.most == any_number    ? " or more"
                       : wanted.most > wanted.least ? " or 2"
                                                    : "";
    return Error{"it has " + std::to_string(inputs.size()) + " inputs where " +
                 std::to_string(wanted.least) + rest + " are needed"};
  }
  const ElementType type = std::holds_alternative<Convert>(op) ? ElementType::u8 : ElementType::f32;
  for (TensorId input : inputs) {
    if (input.value >= model.tensors.size()) return Error{"it reads a tensor that is not there"};
    const Tensor& tensor = model.at(input);
    if (!within_limits(tensor.shape)) {
      return Error{"its input '" + tensor.name + "' has no valid shape"};
    }
    if (tensor.type != type) {
      return Error{"its input '" + tensor.name + "' has the wrong element type"};
    }
  }
  return success();
}

AllowedResult allowed_shapes(const Model& model, const Operator& op,
                             std::span<const TensorId> inputs) {
  const Status status = check_inputs(model, op, inputs);
  if (!status) return status.failure();
  return std::visit(Inference{model, inputs}, op);
}

}  // namespace

bool within_limits(Shape shape) { return within_limits(extent_of(shape)); }

Result<Shape> infer_shape(const Model& model, const Operator& op,
                          std::span<const TensorId> inputs) {
  const AllowedResult allowed = allowed_shapes(model, op, inputs);
  if (!allowed) return allowed.failure();
  const Extent usual = allowed->usual;
  if (!within_limits(usual)) {
    return Error{"its output would be " + std::to_string(usual[0]) + "x" +
                 std::to_string(usual[1]) + "x" + std::to_string(usual[2]) +
                 ", which is empty or too large"};
  }
  return Shape{static_cast<int32_t>(usual[0]), static_cast<int32_t>(usual[1]),
               static_cast<int32_t>(usual[2])};
}

Status check_shape(const Model& model, const Layer& layer) {
  const AllowedResult allowed = allowed_shapes(model, layer.op, layer.inputs);
  if (!allowed) return allowed.failure();
  const Shape shape = model.at(layer.output).shape;
  const Extent given = extent_of(shape);
  bool fits = within_limits(given);
  for (size_t axis = 0; axis < 3; ++axis) {
    fits = fits && given[axis] >= allowed->least[axis] && given[axis] <= allowed->most[axis];
  }
  if (fits) return success();
  return Error{"its output cannot be " + to_string(shape)};
}

std::vector<ConstantId> constants_of(const Operator& op) {
  std::vector<ConstantId> ids;
  each_constant(op, [&](ConstantId id) { ids.push_back(id); });
  return ids;
}

int64_t most_rows(const Suppression& op, Shape scores) {
  return int64_t{scores.h} * scores.c * op.most_boxes;
}

int32_t gates_of(Recurrence::Kind kind) {
  switch (kind) {
    case Recurrence::Kind::rnn:
      return 1;
    case Recurrence::Kind::gru:
      return 3;
    case Recurrence::Kind::lstm:
      break;
  }
  return 4;
}

}  // namespace shingle
