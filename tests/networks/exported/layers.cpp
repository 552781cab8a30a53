#include "tests/networks/exported/layers.hpp"

#include <cmath>

namespace shingle::networks {

namespace {

constexpr float small_bias = 0.05F;

float deviation(float gain, float factor, int64_t fan_in) {
  return gain * std::sqrt(factor / static_cast<float>(fan_in));
}

Value biases(Exporter& to, int64_t channels, float around = 0.0F) {
  return to.normal({channels}, small_bias, around);
}

}  // namespace

Value conv(Exporter& to, const Value& x, const Conv& o) {
  const int64_t depth = x.dims[1] / o.groups;
  const int64_t padding = o.padding < 0 ? o.dilation * (o.kernel / 2) : o.padding;
  const auto extent = [&](int64_t size) {
    return (size + 2 * padding - o.dilation * (o.kernel - 1) - 1) / o.stride + 1;
  };
  const Value weights = to.normal({o.channels, depth, o.kernel, o.kernel},
                                  deviation(o.gain, 2.0F, depth * o.kernel * o.kernel));
  std::vector<Value> inputs{x, weights};
  if (o.bias) inputs.push_back(biases(to, o.channels, o.shift));
  return to.node("Conv", inputs,
                 {{"dilations", Dims{o.dilation, o.dilation}},
                  {"group", o.groups},
                  {"kernel_shape", Dims{o.kernel, o.kernel}},
                  {"pads", Dims(4, padding)},
                  {"strides", Dims{o.stride, o.stride}}},
                 {1, o.channels, extent(x.dims[2]), extent(x.dims[3])});
}

Value transposed_conv(Exporter& to, const Value& x, int64_t channels) {
  const Value weights = to.normal({x.dims[1], channels, 2, 2}, deviation(1.0F, 2.0F, x.dims[1]));
  return to.node("ConvTranspose", {x, weights, biases(to, channels)},
                 {{"dilations", Dims{1, 1}},
                  {"group", int64_t{1}},
                  {"kernel_shape", Dims{2, 2}},
                  {"pads", Dims(4, 0)},
                  {"strides", Dims{2, 2}}},
                 {1, channels, x.dims[2] * 2, x.dims[3] * 2});
}

Value linear(Exporter& to, const Value& x, const Linear& o) {
  const int64_t inputs = x.dims.back();
  const float spread = deviation(o.gain, 1.0F, inputs);
  if (x.dims.size() == 2) {
    const Value weights = to.normal({o.features, inputs}, spread);
    return to.node("Gemm", {x, weights, biases(to, o.features)},
                   {{"alpha", 1.0F}, {"beta", 1.0F}, {"transB", int64_t{1}}},
                   {x.dims[0], o.features});
  }
  const Value product = matmul(to, x, to.normal({inputs, o.features}, spread));
  return add(to, biases(to, o.features), product);
}

// Stacks are equal, or the second operand is a matrix.
Value matmul(Exporter& to, const Value& a, const Value& b) {
  Dims dims = a.dims;
  dims.back() = b.dims.back();
  return to.node("MatMul", {a, b}, {}, dims);
}

Value layer_norm(Exporter& to, const Value& x) {
  constexpr float epsilon = 1e-6F;
  const Value scale = to.normal({x.dims.back()}, 0.1F, 1.0F);
  const Value shift = biases(to, x.dims.back());
  if (to.opset() >= 17) {
    return to.node("LayerNormalization", {x, scale, shift},
                   {{"axis", int64_t{-1}}, {"epsilon", epsilon}}, x.dims);
  }
  const Value centred = binary(to, "Sub", x, mean(to, x, {-1}, true));
  const Value squares = binary(to, "Pow", centred, to.scalar(2.0F));
  const Value variance = add(to, mean(to, squares, {-1}, true), to.scalar(epsilon));
  const Value normal = binary(to, "Div", centred, unary(to, "Sqrt", variance));
  return add(to, mul(to, normal, scale), shift);
}

Value layer_norm_channels(Exporter& to, const Value& x) {
  return transpose(to, layer_norm(to, transpose(to, x, {0, 2, 3, 1})), {0, 3, 1, 2});
}

Value max_pool(Exporter& to, const Value& x, const Pool& o) {
  const auto extent = [&](size_t axis) {
    return (x.dims[2 + axis] + 2 * o.paddings[axis] - o.kernel) / o.strides[axis] + 1;
  };
  const Dims pads{o.paddings[0], o.paddings[1], o.paddings[0], o.paddings[1]};
  return to.node("MaxPool", {x},
                 {{"ceil_mode", int64_t{0}},
                  {"dilations", Dims{1, 1}},
                  {"kernel_shape", Dims{o.kernel, o.kernel}},
                  {"pads", pads},
                  {"strides", o.strides}},
                 {1, x.dims[1], extent(0), extent(1)});
}

Value average_pool(Exporter& to, const Value& x) {
  return to.node("AveragePool", {x},
                 {{"ceil_mode", int64_t{1}},
                  {"count_include_pad", int64_t{1}},
                  {"kernel_shape", Dims{2, 2}},
                  {"pads", Dims(4, 0)},
                  {"strides", Dims{2, 2}}},
                 {1, x.dims[1], (x.dims[2] + 1) / 2, (x.dims[3] + 1) / 2});
}

Value global_average(Exporter& to, const Value& x) {
  return to.node("GlobalAveragePool", {x}, {}, {1, x.dims[1], 1, 1});
}

Value upsample_nearest(Exporter& to, const Value& x, int64_t factor) {
  const float scale = static_cast<float>(factor);
  return to.node("Resize", {x, {}, to.floats({4}, {1, 1, scale, scale})},
                 {{"coordinate_transformation_mode", "asymmetric"},
                  {"cubic_coeff_a", -0.75F},
                  {"mode", "nearest"},
                  {"nearest_mode", "floor"}},
                 {1, x.dims[1], x.dims[2] * factor, x.dims[3] * factor});
}

Value resize_linear(Exporter& to, const Value& x, int64_t height, int64_t width,
                    bool align_corners) {
  const Dims dims{1, x.dims[1], height, width};
  return to.node(
      "Resize", {x, {}, {}, to.integers(dims)},
      {{"coordinate_transformation_mode", align_corners ? "align_corners" : "pytorch_half_pixel"},
       {"cubic_coeff_a", -0.75F},
       {"mode", "linear"},
       {"nearest_mode", "floor"}},
      dims);
}

}  // namespace shingle::networks
