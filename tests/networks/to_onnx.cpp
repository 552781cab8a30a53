// Model to ONNX, layer by layer: the inverse of the reader, for oracles and for tests of the
// reader. Maps (y, x, c) become [1, c, h, w].
#include <algorithm>
#include <cassert>
#include <cmath>

#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_activation.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::networks {

namespace {

using Ints = std::vector<int64_t>;

Ints dims_of(Shape shape) { return {1, shape.c, shape.h, shape.w}; }
int64_t dim_of(Axis axis) { return axis == Axis::c ? 1 : axis == Axis::y ? 2 : 3; }

std::vector<float> values_of(FloatView view) {
  std::vector<float> values(static_cast<size_t>(view.count));
  for (int64_t i = 0; i < view.count; ++i) values[static_cast<size_t>(i)] = view[i];
  return values;
}

// Reorders a constant tensor's elements from (y, x, c) to (c, y, x).
std::vector<float> channels_first(FloatView view, Shape shape) {
  std::vector<float> values;
  values.reserve(static_cast<size_t>(view.count));
  for (int64_t c = 0; c < shape.c; ++c) {
    for (int64_t yx = 0; yx < int64_t{shape.h} * shape.w; ++yx) {
      values.push_back(view[yx * shape.c + c]);
    }
  }
  return values;
}

Ints sizes_of(const std::vector<int32_t>& factors, const Ints& order) {
  Ints sizes;
  for (const int64_t factor : order) sizes.push_back(factors[static_cast<size_t>(factor)]);
  return sizes;
}

// Factor indices in the order of [c, h, w].
Ints channels_first_order(const std::array<std::vector<int32_t>, 3>& axes) {
  Ints order;
  for (const size_t axis : {2U, 0U, 1U}) {
    order.insert(order.end(), axes[axis].begin(), axes[axis].end());
  }
  return order;
}

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model), names_(model.tensors.size()) {}

  std::string write();

 private:
  // One overload per operator; returns the name of the node's output before the activation.
  std::string node(const Layer&, const Convolution&);
  std::string node(const Layer&, const TransposedConvolution&);
  std::string node(const Layer&, const Pooling&);
  std::string node(const Layer&, const Reduction&);
  std::string node(const Layer&, const Elementwise&);
  std::string node(const Layer&, const Binary&);
  std::string node(const Layer&, const Concat&);
  std::string node(const Layer&, const StridedSlice&);
  std::string node(const Layer&, const Gather&);
  std::string node(const Layer&, const Pad&);
  std::string node(const Layer&, const Resize&);
  std::string node(const Layer&, const Rearrange&);
  std::string node(const Layer&, const Softmax&);
  std::string node(const Layer&, const Convert&);
  std::string node(const Layer&, const MatrixProduct&);
  std::string node(const Layer&, const GridSample&);
  std::string node(const Layer&, const Order&);
  std::string node(const Layer&, const Take&);
  std::string node(const Layer&, const Scatter&);
  // No model that is written has these.
  template <class Unwritten>
  std::string node(const Layer&, const Unwritten&) {
    assert(false);
    return {};
  }

  std::string permuted(const std::string& x, const std::vector<int32_t>& factors, const Ints& from,
                       const Ints& to, const Ints& dims);
  std::string repeated(const Layer& layer, size_t operand, Shape map, Axis axis);
  void output(const ModelOutput& output);

  std::string name(TensorId tensor);
  std::string name(const Layer& layer) { return name(layer.inputs[0]); }
  Shape input_shape(const Layer& layer) const { return model_.at(layer.inputs[0]).shape; }
  Shape shape(const Layer& layer) const { return model_.at(layer.output).shape; }
  std::vector<std::string> weighted_inputs(const Layer& layer, Ints weight_dims, ConstantId weights,
                                           std::optional<ConstantId> bias);

  const Model& model_;
  std::vector<std::string> names_;  // by tensor; empty until the tensor has one
  OnnxGraph graph_;
};

std::string Writer::name(TensorId tensor) {
  std::string& known = names_[tensor.value];
  if (known.empty()) {  // layers are in order, so only a constant has no name here
    const Tensor& constant = model_.at(tensor);
    assert(constant.constant);
    known = graph_.floats(dims_of(constant.shape),
                          channels_first(model_.at(*constant.constant), constant.shape));
  }
  return known;
}

std::vector<std::string> Writer::weighted_inputs(const Layer& layer, Ints weight_dims,
                                                 ConstantId weights,
                                                 std::optional<ConstantId> bias) {
  std::vector<std::string> inputs{name(layer),
                                  graph_.floats(weight_dims, values_of(model_.at(weights)))};
  if (bias) inputs.push_back(graph_.floats({shape(layer).c}, values_of(model_.at(*bias))));
  return inputs;
}

OnnxAttributes window_attributes(const Window& y, const Window& x) {
  return {{"kernel_shape", Ints{y.kernel, x.kernel}},
          {"strides", Ints{y.stride, x.stride}},
          {"pads", Ints{y.pad_begin, x.pad_begin, y.pad_end, x.pad_end}}};
}

std::string Writer::node(const Layer& layer, const Convolution& op) {
  OnnxAttributes attributes = window_attributes(op.y, op.x);
  attributes.push_back({"dilations", Ints{op.y.dilation, op.x.dilation}});
  attributes.push_back({"group", int64_t{op.groups}});
  const Ints dims{shape(layer).c, input_shape(layer).c / op.groups, op.y.kernel, op.x.kernel};
  return graph_.node("Conv", weighted_inputs(layer, dims, op.weights, op.bias), attributes);
}

std::string Writer::node(const Layer& layer, const TransposedConvolution& op) {
  const auto output_padding = [](const Window& window, int32_t in, int32_t out) {
    return int64_t{out} -
           (int64_t{in - 1} * window.stride + extent(window) - window.pad_begin - window.pad_end);
  };
  const Shape in = input_shape(layer), out = shape(layer);
  OnnxAttributes attributes = window_attributes(op.y, op.x);
  attributes.push_back({"dilations", Ints{op.y.dilation, op.x.dilation}});
  attributes.push_back({"group", int64_t{op.groups}});
  attributes.push_back({"output_padding", Ints{output_padding(op.y, in.h, out.h),
                                               output_padding(op.x, in.w, out.w)}});
  const Ints dims{in.c, out.c / op.groups, op.y.kernel, op.x.kernel};
  return graph_.node("ConvTranspose", weighted_inputs(layer, dims, op.weights, op.bias),
                     attributes);
}

std::string Writer::node(const Layer& layer, const Pooling& op) {
  const Shape in = input_shape(layer), out = shape(layer);
  const bool ceil = out.h != output_size(op.y, in.h) || out.w != output_size(op.x, in.w);
  OnnxAttributes attributes = window_attributes(op.y, op.x);
  attributes.push_back({"ceil_mode", int64_t{ceil}});
  if (op.kind == Pooling::Kind::average) {
    assert(op.y.dilation == 1 && op.x.dilation == 1);  // opset 13 has no attribute for dilation
    attributes.push_back({"count_include_pad", int64_t{op.count_padding}});
    return graph_.node("AveragePool", {name(layer)}, attributes);
  }
  attributes.push_back({"dilations", Ints{op.y.dilation, op.x.dilation}});
  return graph_.node("MaxPool", {name(layer)}, attributes);
}

std::string Writer::node(const Layer& layer, const Reduction& op) {
  Ints axes;
  if (op.c) axes.push_back(1);
  if (op.y) axes.push_back(2);
  if (op.x) axes.push_back(3);
  switch (op.kind) {
    case Reduction::Kind::mean:
      return graph_.node("ReduceMean", {name(layer)}, {{"axes", axes}, {"keepdims", int64_t{1}}});
    case Reduction::Kind::max:
      return graph_.node("ReduceMax", {name(layer)}, {{"axes", axes}, {"keepdims", int64_t{1}}});
    case Reduction::Kind::arg_max:
      return graph_.node("ArgMax", {name(layer)}, {{"axis", axes[0]}, {"keepdims", int64_t{1}}});
    case Reduction::Kind::product:
      return graph_.node("ReduceProd", {name(layer)}, {{"axes", axes}, {"keepdims", int64_t{1}}});
    case Reduction::Kind::sum:
      break;
  }
  return graph_.node("ReduceSum", {name(layer), graph_.integers(axes)}, {{"keepdims", int64_t{1}}});
}

std::string Writer::node(const Layer& layer, const Elementwise&) { return name(layer); }

std::string Writer::node(const Layer& layer, const Binary& op) {
  static constexpr const char* names[] = {"Add", "Sub",   "Mul",   "Div",  "Max",        "Min",
                                          "Pow", "PRelu", "Equal", "Less", "LessOrEqual"};
  const std::string a = name(layer.inputs[0]), b = name(layer.inputs[1]);
  const auto chosen = [&](bool where_zero) {
    const std::string holds = graph_.node("Cast", {b}, {{"to", int64_t{9}}}),
                      zero = graph_.scalar(0);
    return where_zero ? graph_.node("Where", {holds, zero, a})
                      : graph_.node("Where", {holds, a, zero});
  };
  switch (op.kind) {
    case Binary::Kind::keep:
      return chosen(false);
    case Binary::Kind::drop:
      return chosen(true);
    case Binary::Kind::remainder:
      return graph_.node("Mod", {a, b}, {{"fmod", int64_t{1}}});
    case Binary::Kind::modulo: {  // floats have only the other form
      const std::string whole = graph_.node("Floor", {graph_.node("Div", {a, b})});
      return graph_.node("Sub", {a, graph_.node("Mul", {whole, b})});
    }
    case Binary::Kind::equal:
    case Binary::Kind::less:
    case Binary::Kind::less_or_equal:
      return graph_.node("Cast", {graph_.node(names[static_cast<size_t>(op.kind)], {a, b})},
                         {{"to", int64_t{1}}});
    case Binary::Kind::add:
    case Binary::Kind::sub:
    case Binary::Kind::mul:
    case Binary::Kind::div:
    case Binary::Kind::max:
    case Binary::Kind::min:
    case Binary::Kind::pow:
    case Binary::Kind::prelu:
      break;
  }
  return graph_.node(names[static_cast<size_t>(op.kind)], {a, b});
}

std::string Writer::node(const Layer& layer, const Concat& op) {
  std::vector<std::string> inputs;
  for (const TensorId input : layer.inputs) inputs.push_back(name(input));
  return graph_.node("Concat", inputs, {{"axis", dim_of(op.axis)}});
}

std::string Writer::node(const Layer& layer, const StridedSlice& op) {
  const Shape in = input_shape(layer), out = shape(layer);
  const Ints before{in.h, in.w, in.c}, after{out.h, out.w, out.c};
  Ints begins, ends, axes, steps;
  for (const Axis axis : {Axis::y, Axis::x, Axis::c}) {
    const auto i = static_cast<size_t>(axis);
    if (op.begin[i] == 0 && op.step[i] == 1 && before[i] == after[i]) continue;
    const int64_t end = op.begin[i] + op.step[i] * after[i];
    begins.push_back(op.begin[i]);
    ends.push_back(end < 0 ? INT64_MIN : end);  // -1 would mean the last element
    axes.push_back(dim_of(axis));
    steps.push_back(op.step[i]);
  }
  if (axes.empty()) return name(layer);
  std::vector<std::string> inputs{name(layer), graph_.integers(begins), graph_.integers(ends),
                                  graph_.integers(axes)};
  // Some readers refuse steps, so they are written only if one is not 1.
  const bool strided =
      std::any_of(steps.begin(), steps.end(), [](int64_t step) { return step != 1; });
  if (strided) inputs.push_back(graph_.integers(steps));
  return graph_.node("Slice", inputs);
}

std::string Writer::node(const Layer& layer, const Gather& op) {
  const Ints indices(op.indices.begin(), op.indices.end());
  return graph_.node("Gather", {name(layer), graph_.integers(indices)},
                     {{"axis", dim_of(op.axis)}});
}

std::string Writer::node(const Layer& layer, const Pad& op) {
  const auto [top, left, front] = op.before;
  const auto [bottom, right, back] = op.after;
  const std::string pads = graph_.integers({0, front, top, left, 0, back, bottom, right});
  return graph_.node("Pad", {name(layer), pads, graph_.scalar(op.value)});
}

std::string Writer::node(const Layer& layer, const Resize& op) {
  static constexpr const char* coordinates[] = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                "align_corners"};
  static constexpr const char* rounding[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                             "ceil"};
  const std::string scales = graph_.floats({4}, {1.0F, 1.0F, op.scale_y, op.scale_x});
  const bool nearest = op.kind == Resize::Kind::nearest;
  OnnxAttributes attributes{
      {"mode", std::string(nearest ? "nearest" : "linear")},
      {"coordinate_transformation_mode",
       std::string(coordinates[static_cast<size_t>(op.coordinates)])},
      {"nearest_mode", std::string(rounding[static_cast<size_t>(op.rounding)])}};
  return graph_.node("Resize", {name(layer), "", scales}, attributes);
}

// Reshape to single factors, transpose, then reshape to `dims`.
std::string Writer::permuted(const std::string& x, const std::vector<int32_t>& factors,
                             const Ints& from, const Ints& to, const Ints& dims) {
  Ints permutation;
  for (const int64_t factor : to) {
    permutation.push_back(std::find(from.begin(), from.end(), factor) - from.begin());
  }
  const std::string split = graph_.node("Reshape", {x, graph_.integers(sizes_of(factors, from))});
  const std::string moved = graph_.node("Transpose", {split}, {{"perm", permutation}});
  return graph_.node("Reshape", {moved, graph_.integers(dims)});
}

std::string Writer::node(const Layer& layer, const Rearrange& op) {
  return permuted(name(layer), op.factors, channels_first_order(op.input_axes),
                  channels_first_order(op.output_axes), dims_of(shape(layer)));
}

std::string Writer::node(const Layer& layer, const Softmax& op) {
  const char* kind = op.log ? "LogSoftmax" : "Softmax";
  if (op.groups > 1) {
    const Shape in = input_shape(layer);
    const Ints grouped{1, op.groups, in.c / op.groups, in.h, in.w};
    const std::string split = graph_.node("Reshape", {name(layer), graph_.integers(grouped)});
    const std::string soft = graph_.node(kind, {split}, {{"axis", int64_t{2}}});
    return graph_.node("Reshape", {soft, graph_.integers(dims_of(in))});
  }
  return graph_.node(kind, {name(layer)}, {{"axis", dim_of(op.axis)}});
}

// Maps become [1, stack, channels of a matrix, pixels].
std::string Writer::node(const Layer& layer, const Order& op) {
  const std::string values = name(layer) + " sorted", indices = name(layer) + " order";
  const std::string number = std::to_string(layer.output.value);
  graph_.node_with_outputs("TopK", {name(layer), graph_.integers({op.count})},
                           {{"axis", dim_of(op.axis)}, {"largest", int64_t{op.largest ? 1 : 0}}},
                           {values + number, indices + number});
  return indices + number;
}

// The indices that the layer's input `operand` holds, repeated for all of a map's elements.
std::string Writer::repeated(const Layer& layer, size_t operand, Shape map, Axis axis) {
  const Shape given = model_.at(layer.inputs[operand]).shape;
  Ints dims = dims_of(map);
  const auto along = static_cast<size_t>(dim_of(axis));
  dims[along] = dims_of(given)[along];
  const std::string indices = name(layer.inputs[operand]);
  if (dims == dims_of(given)) return indices;
  return graph_.node("Expand", {indices, graph_.integers(dims)});
}

std::string Writer::node(const Layer& layer, const Take& op) {
  const Shape map = model_.at(layer.inputs[1]).shape;
  return graph_.node("GatherElements", {name(layer.inputs[1]), repeated(layer, 0, map, op.axis)},
                     {{"axis", dim_of(op.axis)}});
}

std::string Writer::node(const Layer& layer, const Scatter& op) {
  static constexpr const char* kinds[] = {"none", "add", "mul", "max", "min"};
  const Shape updates = model_.at(layer.inputs[2]).shape;
  return graph_.node(
      "ScatterElements", {name(layer), repeated(layer, 1, updates, op.axis), name(layer.inputs[2])},
      {{"axis", dim_of(op.axis)}, {"reduction", std::string(kinds[static_cast<size_t>(op.kind)])}});
}

std::string Writer::node(const Layer& layer, const MatrixProduct& op) {
  const Ints turn{0, 1, 3, 2};
  const auto matrices = [&](TensorId tensor) {
    const Shape map = model_.at(tensor).shape;
    const Ints dims{1, op.stack, map.c / op.stack, int64_t{map.h} * map.w};
    return graph_.node("Reshape", {name(tensor), graph_.integers(dims)});
  };
  const auto turned = [&](const std::string& x) {
    return graph_.node("Transpose", {x}, {{"perm", turn}});
  };
  const std::string second = matrices(layer.inputs[1]);
  const std::string result = graph_.node(
      "MatMul", {turned(matrices(layer.inputs[0])), op.turned ? second : turned(second)});
  return graph_.node("Reshape", {turned(result), graph_.integers(dims_of(shape(layer)))});
}

std::string Writer::node(const Layer& layer, const GridSample& op) {
  const char* const modes[] = {"nearest", "linear", "cubic"};
  const char* const paddings[] = {"zeros", "border", "reflection"};
  const std::string places =
      graph_.node("Transpose", {name(layer.inputs[0])}, {{"perm", Ints{0, 2, 3, 1}}});
  return graph_.node("GridSample", {name(layer.inputs[1]), places},
                     {{"mode", std::string(modes[static_cast<size_t>(op.kind)])},
                      {"padding_mode", std::string(paddings[static_cast<size_t>(op.padding)])},
                      {"align_corners", int64_t{op.align_corners ? 1 : 0}}});
}

std::string Writer::node(const Layer& layer, const Convert& op) {
  const Ints dims{1, static_cast<int64_t>(op.scale.size()), 1, 1};
  const std::string floats = graph_.node("Cast", {name(layer)}, {{"to", int64_t{1}}});
  const std::string scaled = graph_.node("Mul", {floats, graph_.floats(dims, op.scale)});
  return graph_.node("Add", {scaled, graph_.floats(dims, op.offset)});
}

void Writer::output(const ModelOutput& output) {
  Ints dim_order;
  for (const std::vector<int32_t>& dim : output.dim_axes) {
    dim_order.insert(dim_order.end(), dim.begin(), dim.end());
  }
  const Ints box_order = channels_first_order(output.box_axes);
  const bool plain =
      dim_order == box_order && output.dims == dims_of(model_.at(output.tensor).shape);
  const std::string x = name(output.tensor);
  const std::string value =
      plain ? x : permuted(x, output.factors, box_order, dim_order, output.dims);
  graph_.node("Identity", {value}, {}, output.name);
  graph_.output(output.name, output.dims);
}

std::string Writer::write() {
  for (const TensorId input : model_.inputs) {
    const Tensor& tensor = model_.at(input);
    names_[input.value] = tensor.name;
    graph_.input(tensor.name, dims_of(tensor.shape), tensor.type);
  }
  for (const Layer& layer : model_.layers) {
    const std::string value = std::visit([&](const auto& op) { return node(layer, op); }, layer.op);
    names_[layer.output.value] = activated(graph_, value, layer.activation);
  }
  for (const ModelOutput& each : model_.outputs) output(each);
  return graph_.file();
}

}  // namespace

std::string to_onnx(const Model& model) { return Writer(model).write(); }

}  // namespace shingle::networks
