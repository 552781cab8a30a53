// The operators of a model: a closed set of plain structs. Each acts on feature maps of (y, x, c)
// and states only *what* is computed. Which input region an output region needs is in demand.hpp.
//
// There are few operators, because a reader translates the many operators of its format into these:
// a fully connected layer is a 1x1 convolution of a 1x1 map, batch normalisation is folded, a focus
// slice is StridedSlice + Concat, and every reshape, transpose, channel shuffle or depth-to-space
// is one Rearrange.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "partition/base/ids.hpp"
#include "partition/model/window.hpp"

namespace shingle {

enum class Axis : uint8_t { y, x, c };

// Applied to every element after the operator, in the same pass. alpha and beta as in ONNX.
struct Activation {
  enum class Kind : uint8_t {
    none,
    relu,
    leaky_relu,  // alpha: slope below zero
    clip,        // alpha: minimum, beta: maximum
    sigmoid,
    silu,
    tanh,
    hard_sigmoid,  // max(0, min(1, alpha*x + beta))
    hard_swish,    // x * max(0, min(1, x/6 + 1/2))
    elu,           // alpha*(exp(x)-1) below zero
    softplus,
    mish,
    exp,
    log,
    sqrt,
    abs,
    neg,
    reciprocal,
    erf,
    gelu,              // x/2 * (1 + erf(x/sqrt(2)))
    gelu_tanh,         // x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x^3)))
    swish,             // x * sigmoid(alpha*x)
    thresholded_relu,  // x above alpha, otherwise 0
    shrink,            // x + beta below -alpha, x - beta above alpha, otherwise 0
    sign,
    floor,
    ceil,
    round,     // the middle between two integers goes to the even one
    truncate,  // towards 0
    is_zero,   // these four: 1 if it is so, otherwise 0
    is_nonzero,
    is_nan,
    is_infinite,  // counts +infinity unless alpha is 0, -infinity unless beta is 0
    to_half,      // the nearest float16, see base/half.hpp
    to_bfloat16,  // the nearest bfloat16
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    asinh,
    acosh,
    atanh
  };
  static constexpr Kind last_kind = Kind::atanh;
  Kind kind = Kind::none;
  float alpha = 0.0F, beta = 0.0F;
  friend bool operator==(const Activation&, const Activation&) = default;
};

// Takes an exponential, a logarithm or the like for each element.
constexpr bool is_transcendental(Activation::Kind kind) {
  using enum Activation::Kind;
  switch (kind) {
    case sigmoid:
    case silu:
    case tanh:
    case elu:
    case softplus:
    case mish:
    case exp:
    case log:
    case erf:
    case gelu:
    case gelu_tanh:
    case swish:
      return true;
    default:
      return kind >= sin;
  }
}

// weights: [output channels][input channels / groups][kernel y][kernel x]; bias: [output channels].
// Padding counts as 0. Depthwise when groups == input channels.
struct Convolution {
  Window y, x;
  int32_t groups = 1;
  ConstantId weights;
  std::optional<ConstantId> bias;
};

// weights: [input channels][output channels / groups][kernel y][kernel x]. The layer's output shape
// gives the output extent along an axis (it includes output_padding).
struct TransposedConvolution {
  Window y, x;
  int32_t groups = 1;
  ConstantId weights;
  std::optional<ConstantId> bias;
};

// max: padding is -infinity. average: divides by the number of taps on the map or, with
// `count_padding`, by the number of taps within the declared padding. Taps beyond the padding, of a
// last window rounded up, never count. max_place: where the first largest tap lies, as a float:
// row * width + column on the map. NaN counts as the largest.
struct Pooling {
  enum class Kind : uint8_t { max, average, max_place };
  Kind kind = Kind::max;
  Window y, x;
  bool count_padding = false;
};

// Reduces whole axes to size 1 (global pooling is y and x). arg_max: the index, as a float, of the
// first largest element along exactly one axis.
struct Reduction {
  enum class Kind : uint8_t { mean, max, sum, arg_max, product };
  Kind kind = Kind::mean;
  bool y = false, x = false, c = false;
};

// One operand, element-wise: only the layer's activation is computed.
struct Elementwise {};

// Two operands element-wise; an axis of size 1 is broadcast. prelu: a if a >= 0 else a*b. equal,
// less, less_or_equal: 1 if it is so, otherwise 0. keep: a where b is not 0, otherwise 0; drop: a
// where b is 0, otherwise 0. modulo: what is left of a/b rounded down, with the sign of b;
// remainder: of a/b rounded towards 0, with the sign of a.
struct Binary {
  enum class Kind : uint8_t {
    add,
    sub,
    mul,
    div,
    max,
    min,
    pow,
    prelu,
    equal,
    less,
    less_or_equal,
    keep,
    drop,
    modulo,
    remainder
  };
  Kind kind = Kind::add;
};

// Concatenates the inputs along `axis`.
struct Concat {
  Axis axis = Axis::c;
};

// Output index i along an axis reads input begin + i*step (step may be negative).
struct StridedSlice {
  std::array<int32_t, 3> begin{0, 0, 0};  // y, x, c
  std::array<int32_t, 3> step{1, 1, 1};
};

// Output index i along `axis` reads input indices[i].
struct Gather {
  Axis axis = Axis::c;
  std::vector<int32_t> indices;
};

// Surrounds the map with a constant.
struct Pad {
  std::array<int32_t, 3> before{0, 0, 0}, after{0, 0, 0};  // y, x, c; never negative
  float value = 0.0F;
};

// Scales y and x; source coordinate of output o as in ONNX Resize: half_pixel (o+0.5)/scale-0.5,
// pytorch_half_pixel, asymmetric o/scale, align_corners o*(in-1)/(out-1). `scale` is output/input
// as the file gives it.
struct Resize {
  enum class Kind : uint8_t { nearest, linear };
  enum class Coordinates : uint8_t { half_pixel, pytorch_half_pixel, asymmetric, align_corners };
  enum class Rounding : uint8_t { prefer_floor, prefer_ceil, floor, ceil };  // nearest only
  Kind kind = Kind::nearest;
  Coordinates coordinates = Coordinates::half_pixel;
  Rounding rounding = Rounding::prefer_floor;
  float scale_y = 1.0F, scale_x = 1.0F;
};

// Moves elements without changing them. The index on each input axis is a mixed-radix number of
// factors, most significant first; each output axis is another arrangement of the same factors.
// Every factor stands in exactly one input and one output axis.
//   depth-to-space by 2: factors {h, w, 2, 2, c}: input y={0} x={1} c={2,3,4}, output y={0,2}
//   x={1,3} c={4}
struct Rearrange {
  std::vector<int32_t> factors;                    // sizes
  std::array<std::vector<int32_t>, 3> input_axes;  // factor indices of y, x, c
  std::array<std::vector<int32_t>, 3> output_axes;
};

// Along c: of each of `groups` equal runs of channels by itself.
struct Softmax {
  Axis axis = Axis::c;
  bool log = false;
  int32_t groups = 1;  // 1 along y and x
};

// The product of two values, matrix by matrix of a stack. As a 1x1 convolution in `stack` groups
// whose weights are a map:
//
//   first    a pixel is a row; channels are [stack][depth]
//   second   a pixel is an index of the depth, channels are [stack][column]; `turned`: a pixel is a
//            column, channels are [stack][depth]. Pixels count row by row of the map
//   output   a pixel is a row, as in the first; channels are [stack][column]
//
// Each output sums first * second in the order of the depth.
struct MatrixProduct {
  int32_t stack = 1;
  bool turned = false;
};

// Reads a map at places that follow from the input (ONNX GridSample).
//
//   first    a pixel is a place: channel 0 is x, 1 is y; -1 and 1 are the ends of the map, which
//            are the middles of its outermost pixels (align_corners) or their outer edges
//   second   the map, of which any pixel may be read
//   output   a pixel for each place, channels as in the second
//
// Off the map lies 0, the outermost pixel, or the map's mirror image. A place that is no number, or
// infinite under reflection, reads as off the map: 0, or the first pixel.
struct GridSample {
  enum class Kind : uint8_t { nearest, linear, cubic };
  enum class Padding : uint8_t { zeros, border, reflection };
  Kind kind = Kind::linear;
  Padding padding = Padding::zeros;
  bool align_corners = false;
};

// The indices along `axis` of the first `count` elements when these are sorted, as floats. Equal
// elements keep their order. NaN counts as larger than every number.
struct Order {
  Axis axis = Axis::c;
  int32_t count = 1;
  bool largest = true;  // first
};

// Reads a map at indices along `axis` that another value gives (ONNX Gather, GatherElements).
//
//   first    the indices: whole numbers; along the other axes as large as the map, or 1, which
//            counts for all
//   second   the map
//   output   as long as the first along `axis`, as large as the second along the others
//
// An index from -size to -1 counts from the end. Any other index off the map reads 0.
struct Take {
  Axis axis = Axis::y;
};

// A map of which some elements are replaced, or changed (ONNX ScatterElements).
//
//   first    the map
//   second   indices along `axis`, as those of Take
//   third    updates: along `axis` as many as the indices, along the others at most as large as the
//            map. Elements of the map beyond them stay
//   output   as the first
//
// Updates count in the order of their indices' positions. An index off the map changes nothing.
struct Scatter {
  enum class Kind : uint8_t { replace, add, mul, max, min };
  Axis axis = Axis::y;
  Kind kind = Kind::replace;
};

// Boxes that overlap no better box of their class (ONNX NonMaxSuppression).
//
//   first    boxes: a row for each picture, a column for each box, 4 channels: two opposite corners
//            y1 x1 y2 x2 or, `centers`, x y width height
//   second   scores: rows and columns as in the first, a channel for each class
//   output   1 row, columns as `most_rows` says, 3 channels: picture, class, box. The rows are in
//            the order of pictures, classes, falling scores. Behind the last row stands -1
//
// Of equal scores the first box counts as better. A score that is not above `least_score`, or NaN,
// selects nothing.
struct Suppression {
  bool centers = false;
  int32_t most_boxes = 0;  // of a class of a picture; at most the number of boxes
  float most_overlap = 0.0F;
  float least_score = 0.0F;  // -infinity: every number counts
};

// The places of elements that are not 0: (y * width + x) * channels + c, rising, as floats.
// The output is one row with a column for each element; behind the last place stands -1.
struct NonZero {};

// One direction of a recurrent layer (ONNX RNN, GRU, LSTM).
//
//   first    gates of the input with all biases that do not depend on the state: a row for each
//            sequence, a column for each step, channels [gate][hidden]; gates in ONNX's order
//            (iofc, zrh)
//   second   the state before the first step, if the layer has two inputs: a row for each sequence,
//            one column, channels [hidden], for lstm [hidden][cell] after each other. Else 0
//   output   rows and columns as in the first, channels as the state's
//
// weights: [gate][hidden][hidden of the step before]. A sequence shorter than the map has zeros
// behind its end.
struct Recurrence {
  enum class Kind : uint8_t { rnn, gru, lstm };
  Kind kind = Kind::lstm;
  int32_t hidden = 1;
  bool backward = false;  // from the last step to the first one
  ConstantId weights;
  std::optional<ConstantId> state_bias;     // gru with reset_after: [hidden], beside the state
  std::optional<ConstantId> peepholes;      // lstm: [3][hidden], ONNX's order (iof)
  std::array<Activation, 3> activations{};  // ONNX's f, g, h; as many as the kind has
  float clip = 0.0F;                        // of what the activations get; 0: none
  bool input_forget = false;                // lstm: the forget gate is 1 - the input gate
  bool reset_after = false;                 // gru: linear_before_reset
  std::vector<int32_t> lengths;             // of each sequence; empty: all of the map's width
};

// uint8 image to float: element * scale[c] + offset[c]. The only operator that reads a u8 tensor.
struct Convert {
  std::vector<float> scale, offset;  // one per channel
};

using Operator =
    std::variant<Convolution, TransposedConvolution, Pooling, Reduction, Elementwise, Binary,
                 Concat, StridedSlice, Gather, Pad, Resize, Rearrange, Softmax, Convert,
                 MatrixProduct, GridSample, Order, Take, Scatter, Suppression, NonZero, Recurrence>;

}  // namespace shingle
