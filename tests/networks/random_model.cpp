// Small random networks for property tests. Each step adds one layer that reads the newest tensor
// or, for branches, an older one. Tensors that nobody reads at the end are the model's outputs. No
// call draws two random numbers in its arguments, because compilers evaluate them in different
// orders.
#include <algorithm>

#include "tests/networks/builder.hpp"
#include "tests/networks/random_parts.hpp"

namespace shingle::networks {

namespace {

constexpr int32_t largest_side = 40, most_channels = 24;
constexpr int32_t wide_side = 20, wide_channels = 16;

class Sketch {
 public:
  explicit Sketch(Random& random, DrawnOperators operators, bool wide = false)
      : random_(random), operators_(operators), wide_(wide), builder_(random.next()) {}

  Model draw();

 private:
  using Step = void (Sketch::*)(TensorId);

  TensorId source();
  void keep(TensorId tensor) { tensors_.push_back(tensor); }
  Shape shape(TensorId tensor) const { return builder_.shape(tensor); }
  Activation activation() { return random_activation(random_); }
  Window window(int32_t size, int32_t dilation_limit) {
    return random_window(random_, {size, largest_side, dilation_limit});
  }

  void convolution(TensorId x);
  void transposed(TensorId x);
  void max_pool(TensorId x);
  void average_pool(TensorId x);
  void resize(TensorId x);
  void concat(TensorId x);
  void binary(TensorId x);
  void constant_binary(TensorId x);
  void shuffle(TensorId x);
  void depth_to_space(TensorId x);
  void space_to_depth(TensorId x);
  void slice(TensorId x);
  void gather(TensorId x);
  void mirror(TensorId x);
  void pad(TensorId x);
  void softmax(TensorId x);
  void attention(TensorId x);
  TensorId order(Axis axis, Shape of);
  void take(TensorId x);
  void scatter(TensorId x);
  void activate(TensorId x);
  void reduce(TensorId x);
  void classify();

  Random& random_;
  const DrawnOperators operators_;
  const bool wide_;
  Builder builder_;
  std::vector<TensorId> tensors_;
};

TensorId Sketch::source() {
  const auto last = static_cast<int32_t>(tensors_.size()) - 1;
  const int32_t index = random_.chance(0.75) ? last : random_.between(0, last);
  return tensors_[static_cast<size_t>(index)];
}

void Sketch::convolution(TensorId x) {
  if (wide_ && random_.chance(0.6)) {
    const int32_t channels = random_.between(wide_channels, most_channels);
    return keep(builder_.convolution(x, {.channels = channels, .activation = activation()}));
  }
  const int32_t in = shape(x).c;
  int32_t groups = 1, out = random_.between(1, 16) + (wide_ ? wide_channels - 1 : 0);
  if (random_.chance(0.3)) {  // depthwise, sometimes with two outputs per channel
    groups = in;
    out = in * (in <= most_channels / 2 && random_.chance(0.3) ? 2 : 1);
  } else if (in % 2 == 0 && random_.chance(0.3)) {
    groups = 2;
    out = 2 * random_.between(1, 8);
  }
  const Window y = window(shape(x).h, 3), w = window(shape(x).w, 3);
  const int64_t fan_in = int64_t{in} / groups * y.kernel * w.kernel;
  const ConstantId weights = builder_.weights(fan_in * out, fan_in);
  std::optional<ConstantId> bias;
  if (random_.chance(0.7)) bias = builder_.bias(out);
  keep(builder_.layer(
      Convolution{.y = y, .x = w, .groups = groups, .weights = weights, .bias = bias}, {x},
      activation()));
}

void Sketch::transposed(TensorId x) {
  const Shape in = shape(x);
  if (in.h > 18 || in.w > 18) return convolution(x);
  const auto axis = [&](int32_t size, int32_t& output) {
    Window result{.kernel = random_.between(1, 4), .stride = random_.between(1, 2)};
    result.pad_begin = random_.between(0, std::min(size * result.stride, result.kernel) - 1);
    const int32_t grown = (size - 1) * result.stride + result.kernel - result.pad_begin;
    result.pad_end = random_.between(0, std::min(grown, result.kernel) - 1);
    output = grown - result.pad_end + random_.between(0, result.stride - 1);
    return result;
  };
  Shape out{1, 1, random_.between(1, 12)};
  const int32_t groups = in.c % 2 == 0 && out.c % 2 == 0 && random_.chance(0.3) ? 2 : 1;
  const Window y = axis(in.h, out.h), w = axis(in.w, out.w);
  const int64_t taps = int64_t{y.kernel} * w.kernel;
  const ConstantId weights =
      builder_.weights(int64_t{in.c} * (out.c / groups) * taps, in.c / groups * taps);
  const ConstantId bias = builder_.bias(out.c);
  keep(builder_.layer(
      TransposedConvolution{.y = y, .x = w, .groups = groups, .weights = weights, .bias = bias},
      {x}, activation(), out));
}

void Sketch::max_pool(TensorId x) {
  // A pool after leaky ReLU: its padding must not exceed negative inputs.
  const Window y = window(shape(x).h, 2), w = window(shape(x).w, 2);
  const Shape out = random_pooled_shape(random_, shape(x), y, w);
  keep(builder_.layer(Pooling{.kind = Pooling::Kind::max, .y = y, .x = w}, {x}, activation(), out));
}

void Sketch::average_pool(TensorId x) {
  const Window y = random_average_window(random_, shape(x).h, largest_side),
               w = random_average_window(random_, shape(x).w, largest_side);
  const Shape out = random_pooled_shape(random_, shape(x), y, w);
  const Activation after = activation();
  keep(builder_.layer(
      Pooling{.kind = Pooling::Kind::average, .y = y, .x = w, .count_padding = random_.chance(0.5)},
      {x}, after, out));
}

void Sketch::resize(TensorId x) {
  const Shape in = shape(x);
  if (in.h > largest_side / 2 || in.w > largest_side / 2) return max_pool(x);
  using Coordinates = Resize::Coordinates;
  using Rounding = Resize::Rounding;
  const auto scale = [&](int32_t size) {
    return size % 2 == 0 && random_.chance(0.2) ? 1.5F : static_cast<float>(random_.between(1, 2));
  };
  Resize op{.kind = random_.chance(0.5) ? Resize::Kind::nearest : Resize::Kind::linear,
            .coordinates = static_cast<Coordinates>(random_.between(0, 3)),
            .rounding = static_cast<Rounding>(random_.between(0, 3)),
            .scale_y = scale(in.h),
            .scale_x = scale(in.w)};
  if (op.kind == Resize::Kind::linear)
    op.rounding = Rounding::prefer_floor;  // rounding has no meaning for linear
  keep(builder_.layer(op, {x}, activation()));
}

void Sketch::concat(TensorId x) {
  const Axis axis = random_.chance(0.8) ? Axis::c : random_.chance(0.5) ? Axis::y : Axis::x;
  std::vector<TensorId> operands{x};
  Shape sum = shape(x);
  for (const TensorId other : tensors_) {
    Shape next = shape(other);
    auto side = axis == Axis::c ? &Shape::c : axis == Axis::y ? &Shape::h : &Shape::w;
    const int32_t limit = axis == Axis::c ? most_channels : largest_side;
    const int32_t added = next.*side;
    next.*side = sum.*side;
    if (next != sum || sum.*side + added > limit || !random_.chance(0.7)) continue;
    sum.*side += added;
    operands.insert(random_.chance(0.5) ? operands.begin() : operands.end(), other);
  }
  if (operands.size() == 1) return convolution(x);
  keep(builder_.layer(Concat{axis}, operands, activation()));
}

void Sketch::binary(TensorId x) {
  static constexpr Binary::Kind kinds[] = {Binary::Kind::add, Binary::Kind::sub, Binary::Kind::mul,
                                           Binary::Kind::max, Binary::Kind::min};
  std::vector<TensorId> equal;
  for (const TensorId other : tensors_) {
    if (other != x && shape(other) == shape(x)) equal.push_back(other);
  }
  // If there is no equal partner: its own mean over the map, broadcast.
  const TensorId other =
      equal.empty()
          ? builder_.global_average(x)
          : equal[static_cast<size_t>(random_.between(0, static_cast<int32_t>(equal.size()) - 1))];
  Binary::Kind kind = random_.chance(0.6) ? Binary::Kind::add : kinds[random_.between(0, 4)];
  // A map of one pixel minus its mean is only rounding noise.
  if (equal.empty() && kind == Binary::Kind::sub) kind = Binary::Kind::add;
  keep(builder_.layer(Binary{kind}, {x, other}, activation()));
}

void Sketch::constant_binary(TensorId x) {
  const Shape full = shape(x);
  Shape small{random_.chance(0.2) ? full.h : 1, random_.chance(0.2) ? full.w : 1,
              random_.chance(0.7) ? full.c : 1};
  std::vector<float> values(static_cast<size_t>(small.elements()));
  for (float& value : values) value = random_.uniform(0.5F, 1.5F);
  const TensorId operand = builder_.constant(small, std::move(values));
  static constexpr Binary::Kind kinds[] = {Binary::Kind::add, Binary::Kind::mul, Binary::Kind::div,
                                           Binary::Kind::prelu};
  const Binary::Kind kind = kinds[random_.between(0, 3)];
  const bool constant_first =
      kind != Binary::Kind::prelu && kind != Binary::Kind::div && random_.chance(0.3);
  keep(constant_first ? builder_.layer(Binary{kind}, {operand, x}, activation())
                      : builder_.layer(Binary{kind}, {x, operand}, activation()));
}

void Sketch::shuffle(TensorId x) {
  const Shape in = shape(x);
  const int32_t groups = in.c % 3 == 0 ? 3 : in.c % 2 == 0 ? 2 : 1;
  if (groups == 1) return convolution(x);
  keep(builder_.layer(channel_shuffle_move(in, groups), {x}));
}

void Sketch::depth_to_space(TensorId x) {
  const Shape in = shape(x);
  if (in.c % 4 != 0 || in.h > largest_side / 2 || in.w > largest_side / 2) return shuffle(x);
  keep(builder_.layer(depth_to_space_move(in), {x}));
}

void Sketch::space_to_depth(TensorId x) {
  const Shape in = shape(x);
  if (in.h % 2 != 0 || in.w % 2 != 0 || in.c > most_channels / 4) return shuffle(x);
  keep(builder_.layer(space_to_depth_move(in), {x}));
}

void Sketch::slice(TensorId x) {
  const Shape in = shape(x);
  const std::array<int32_t, 3> sizes{in.h, in.w, in.c};
  StridedSlice op;
  std::array<int32_t, 3> out = sizes;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (sizes[axis] < 2 || random_.chance(0.5)) continue;
    const bool backwards = random_.chance(0.15);
    op.begin[axis] = random_.between(backwards ? sizes[axis] / 2 : 0,
                                     backwards ? sizes[axis] - 1 : sizes[axis] / 2);
    op.step[axis] = (backwards ? -1 : 1) * random_.between(1, 2);
    const int32_t reach = backwards ? op.begin[axis] : sizes[axis] - 1 - op.begin[axis];
    out[axis] = random_.between(1, reach / std::abs(op.step[axis]) + 1);
  }
  keep(builder_.layer(op, {x}, activation(), Shape{out[0], out[1], out[2]}));
}

void Sketch::gather(TensorId x) {
  const int32_t channels = shape(x).c;
  Gather op{.axis = Axis::c, .indices = {}};
  for (int32_t i = random_.between(1, std::min(channels + 1, most_channels)); i > 0; --i) {
    op.indices.push_back(random_.between(0, channels - 1));
  }
  keep(builder_.layer(op, {x}, activation()));
}

// A border of mirrored or repeated rows or columns.
void Sketch::mirror(TensorId x) {
  const Axis axis = random_.chance(0.5) ? Axis::y : Axis::x;
  const int32_t size = axis == Axis::y ? shape(x).h : shape(x).w;
  if (size > largest_side - 6 || size < 4) return slice(x);
  const bool repeats = random_.chance(0.5);
  Gather op{.axis = axis, .indices = {}};
  for (int32_t i = -random_.between(0, 3); i < size + random_.between(0, 3); ++i) {
    const int32_t inside = std::clamp(i, 0, size - 1);
    op.indices.push_back(repeats ? inside : 2 * inside - i);
  }
  keep(builder_.layer(op, {x}, activation()));
}

void Sketch::pad(TensorId x) {
  const Shape in = shape(x);
  if (in.h > largest_side - 4 || in.w > largest_side - 4) return slice(x);
  const auto some = [&] { return random_.between(0, 2); };
  const Activation after = activation();
  keep(builder_.layer(Pad{.before = {some(), some(), 0},
                          .after = {some(), some(), 0},
                          .value = random_.uniform(-1.0F, 1.0F)},
                      {x}, after));
}

void Sketch::softmax(TensorId x) { keep(builder_.layer(Softmax{.axis = Axis::c}, {x})); }

// Few pixels of the map are its keys, and of another one its values.
void Sketch::attention(TensorId x) {
  constexpr int32_t most_pixels = 4, most_matrices = 3;
  const Shape in = shape(x);
  StridedSlice some;
  some.step = {(in.h - 1) / most_pixels + 1, (in.w - 1) / most_pixels + 1, 1};
  const TensorId keys = builder_.layer(some, {x});
  int32_t stack = random_.between(1, most_matrices);
  while (in.c % stack != 0) --stack;
  TensorId scores = builder_.layer(MatrixProduct{.stack = stack, .turned = true}, {x, keys});
  if (random_.chance(0.3)) keep(scores);
  scores = builder_.layer(Softmax{.axis = Axis::c, .log = false, .groups = stack}, {scores});
  const TensorId values = builder_.layer(Elementwise{}, {keys}, activation());
  keep(builder_.layer(MatrixProduct{.stack = stack}, {scores, values}, activation()));
}

// The order of some elements of the input along an axis: of each line if the indices are for a map
// of its shape, or of the lines' maxima. Of the input, as in classify().
TensorId Sketch::order(Axis axis, Shape of) {
  TensorId lines = tensors_.front();
  const Shape in = shape(lines);
  if (in != of || random_.chance(0.5)) {
    lines = builder_.layer(Reduction{.kind = Reduction::Kind::max,
                                     .y = axis != Axis::y,
                                     .x = axis != Axis::x,
                                     .c = axis != Axis::c},
                           {lines});
  }
  const int32_t size = axis == Axis::y ? in.h : axis == Axis::x ? in.w : in.c;
  const int32_t count = random_.between(1, size);
  return builder_.layer(Order{.axis = axis, .count = count, .largest = random_.chance(0.7)},
                        {lines});
}

// An axis along which a map is at least as long as the input.
std::optional<Axis> long_axis(Random& random, Shape map, Shape input) {
  std::vector<Axis> axes;
  if (map.h >= input.h) axes.push_back(Axis::y);
  if (map.w >= input.w) axes.push_back(Axis::x);
  if (map.c >= input.c) axes.push_back(Axis::c);
  if (axes.empty()) return std::nullopt;
  return axes[static_cast<size_t>(random.between(0, static_cast<int32_t>(axes.size()) - 1))];
}

void Sketch::take(TensorId x) {
  const std::optional<Axis> axis = long_axis(random_, shape(x), shape(tensors_.front()));
  if (!axis) return gather(x);
  const TensorId indices = order(*axis, shape(x));
  if (random_.chance(0.3)) keep(indices);
  keep(builder_.layer(Take{*axis}, {indices, x}, activation()));
}

// Some elements change places.
void Sketch::scatter(TensorId x) {
  const std::optional<Axis> axis = long_axis(random_, shape(x), shape(tensors_.front()));
  if (!axis) return gather(x);
  const TensorId from = order(*axis, shape(x));
  const TensorId updates = builder_.layer(Take{*axis}, {from, x}, activation());
  // As many as there are updates: the places in the order of others.
  const TensorId places = builder_.layer(Order{.axis = *axis,
                                               .count = *axis == Axis::y   ? shape(from).h
                                                        : *axis == Axis::x ? shape(from).w
                                                                           : shape(from).c},
                                         {from});
  const auto kind = static_cast<Scatter::Kind>(random_.between(0, 4));
  keep(builder_.layer(Scatter{.axis = *axis, .kind = kind}, {x, places, updates}, activation()));
}

void Sketch::activate(TensorId x) {
  Activation chosen = activation();
  if (chosen.kind == Activation::Kind::none) chosen = silu;
  keep(builder_.layer(Elementwise{}, {x}, chosen));
}

void Sketch::reduce(TensorId x) {
  const auto kind = static_cast<Reduction::Kind>(random_.between(0, 2));
  const bool map = random_.chance(0.7);
  keep(builder_.layer(Reduction{.kind = kind, .y = map, .x = map, .c = !map}, {x}, activation()));
}

// On the input itself: elsewhere the sums of two executors may differ in the last bit, and so may
// their indices.
void Sketch::classify() {
  const auto axis = static_cast<Axis>(random_.between(0, 2));
  keep(builder_.layer(Reduction{.kind = Reduction::Kind::arg_max,
                                .y = axis == Axis::y,
                                .x = axis == Axis::x,
                                .c = axis == Axis::c},
                      {tensors_.front()}));
}

Model Sketch::draw() {
  // Convolutions appear several times here so that most networks have several.
  static constexpr Step steps[] = {
      &Sketch::convolution, &Sketch::convolution, &Sketch::convolution, &Sketch::convolution,
      &Sketch::convolution, &Sketch::max_pool, &Sketch::max_pool, &Sketch::average_pool,
      &Sketch::average_pool, &Sketch::transposed, &Sketch::resize, &Sketch::resize, &Sketch::concat,
      &Sketch::concat, &Sketch::binary, &Sketch::binary, &Sketch::shuffle, &Sketch::depth_to_space,
      &Sketch::slice, &Sketch::gather, &Sketch::space_to_depth, &Sketch::pad, &Sketch::softmax,
      &Sketch::activate, &Sketch::constant_binary, &Sketch::mirror,
      // not in `first`:
      &Sketch::attention, &Sketch::attention, &Sketch::take, &Sketch::scatter};
  constexpr auto all = static_cast<int32_t>(std::size(steps)), later = 4;
  const int32_t choices = operators_ == DrawnOperators::all ? all : all - later;
  const int32_t side = wide_ ? wide_side : largest_side, fewest = wide_ ? wide_channels : 1;
  const int32_t height = random_.between(6, side), width = random_.between(6, side);
  keep(builder_.input({height, width, fewest + random_.between(0, 7)}));
  const int32_t wanted = random_.between(2, 9);
  convolution(tensors_.back());
  for (int32_t i = 1; i < wanted; ++i) {
    const Step step = steps[random_.between(0, choices - 1)];
    (this->*step)(source());
  }
  if (random_.chance(0.15)) reduce(tensors_.back());
  if (random_.chance(0.15)) classify();
  const std::vector<std::vector<LayerId>> by_tensor = readers(builder_.model());
  for (const Layer& layer : std::vector<Layer>(builder_.model().layers)) {
    if (by_tensor[layer.output.value].empty()) builder_.output(layer.output);
  }
  return std::move(builder_).finish("random model " + std::to_string(random_.next()));
}

}  // namespace

Model random_model(Random& random, DrawnOperators operators) {
  return Sketch(random, operators).draw();
}

Model random_wide_model(Random& random, DrawnOperators operators) {
  return Sketch(random, operators, true).draw();
}

}  // namespace shingle::networks
