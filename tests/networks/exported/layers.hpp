// Layers as exporters write them at the graph's opset: one function of PyTorch is one or several
// nodes.
#pragma once

#include "tests/networks/exported/exporter.hpp"

namespace shingle::networks {

// Batch normalisation is folded, as exporters do it.
struct Conv {
  int64_t channels = 1;
  int64_t kernel = 3;  // padded so that stride 1 keeps the size, unless `padding` says otherwise
  int64_t stride = 1;
  int64_t groups = 1;
  int64_t dilation = 1;
  int64_t padding = -1;
  bool bias = true;
  float gain = 1.0F;   // below 1 if the result is added to the branch's own input
  float shift = 0.0F;  // around which biases lie
};
// He's rule keeps the deviation where ReLU follows. SiLU loses more, and ever more as values become
// smaller, unless they are large: networks with SiLU start with a larger gain and go on with this
// one.
inline constexpr float first_silu_gain = 7.0F, silu_gain = 1.03F;
Value conv(Exporter& to, const Value& x, const Conv& options);
Value transposed_conv(Exporter& to, const Value& x, int64_t channels);  // 2x2, stride 2

Value unary(Exporter& to, std::string_view op, const Value& x);
Value binary(Exporter& to, std::string_view op, const Value& a, const Value& b);
Value relu(Exporter& to, const Value& x);
Value relu6(Exporter& to, const Value& x);
Value silu(Exporter& to, const Value& x);
Value hard_sigmoid(Exporter& to, const Value& x);
Value hard_swish(Exporter& to, const Value& x);
Value gelu(Exporter& to, const Value& x);
Value cast_to_float(Exporter& to, const Value& x);
Value softmax(Exporter& to, const Value& x, int64_t axis);
Value add(Exporter& to, const Value& a, const Value& b);
Value mul(Exporter& to, const Value& a, const Value& b);

// Gemm of two dims; of more, MatMul and Add.
struct Linear {
  int64_t features = 1;
  float gain = 1.0F;
};
Value linear(Exporter& to, const Value& x, const Linear& options);
Value matmul(Exporter& to, const Value& a, const Value& b);
Value layer_norm(Exporter& to, const Value& x);           // over the last dim
Value layer_norm_channels(Exporter& to, const Value& x);  // of [n, c, h, w], by two transposes

struct Pool {
  int64_t kernel = 2;
  Dims strides{2, 2}, paddings{0, 0};  // of y and x
};
Value max_pool(Exporter& to, const Value& x, const Pool& options);
Value average_pool(Exporter& to, const Value& x);  // 2x2, stride 2
Value global_average(Exporter& to, const Value& x);
// `op`: one that takes its axes as an input from opset 18 on. Without `keep` the axes go.
Value reduce(Exporter& to, std::string_view op, const Value& x, const Dims& axes, bool keep);
Value mean(Exporter& to, const Value& x, const Dims& axes, bool keep);

Value reshape(Exporter& to, const Value& x, Dims dims);  // one of them may be -1
Value flatten(Exporter& to, const Value& x);
Value transpose(Exporter& to, const Value& x, const Dims& order);
Value concat(Exporter& to, const std::vector<Value>& parts, int64_t axis);
std::vector<Value> split(Exporter& to, const Value& x, int64_t axis, const Dims& sizes);
Value slice(Exporter& to, const Value& x, int64_t axis, int64_t begin, int64_t end);
Value at_index(Exporter& to, const Value& x, int64_t axis, int64_t index);  // the axis goes

Value upsample_nearest(Exporter& to, const Value& x, int64_t factor);
Value resize_linear(Exporter& to, const Value& x, int64_t height, int64_t width,
                    bool align_corners = false);

}  // namespace shingle::networks
