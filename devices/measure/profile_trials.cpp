#include "devices/measure/profile_trials.hpp"

#include <functional>
#include <utility>

#include "partition/model/shape.hpp"

namespace shingle {

namespace {

Window window(int32_t kernel, int32_t stride) {
  const int32_t pad = kernel - stride > 0 ? kernel - 1 : 0;
  return {.kernel = kernel,
          .stride = stride,
          .dilation = 1,
          .pad_begin = pad / 2,
          .pad_end = pad - pad / 2};
}

// Any weights do: no kernel looks at their values. Small enough that nothing overflows.
std::vector<float> weights(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 2654435761U % 1024) * 1e-5F;
  return values;
}

using AddLayer = std::function<TensorId(Model& model, TensorId input)>;

Model chained(Shape in, const std::vector<AddLayer>& layers) {
  Model model;
  TensorId last = add_input(model, "input", in);
  for (const AddLayer& add : layers) last = add(model, last);
  add_output(model, "output", last);
  return model;
}

// Layers that leave the shape as it is.
ProfileTrial chain(WorkKind kind, Shape in, size_t layers, const AddLayer& add) {
  return {kind, chained(in, std::vector<AddLayer>(layers, add)), chained(in, {add})};
}

struct ConvolutionOf {
  int32_t kernel = 3, stride = 1, outputs = 1, groups = 1;
};

AddLayer convolution_of(const ConvolutionOf& of) {
  return [of](Model& model, TensorId input) {
    const int64_t taps = int64_t{of.kernel} * of.kernel * model.at(input).shape.c / of.groups;
    const Convolution op{.y = window(of.kernel, of.stride),
                         .x = window(of.kernel, of.stride),
                         .groups = of.groups,
                         .weights = add_constant(model, weights(taps * of.outputs)),
                         .bias = add_constant(model, weights(of.outputs))};
    const Activation leaky{.kind = Activation::Kind::leaky_relu, .alpha = 0.1F};
    return add_layer(model, "convolution", op, {input}, leaky);
  };
}

ProfileTrial trial_of(WorkKind kind, Shape in, Operator op, size_t inputs = 1) {
  ProfileTrial trial{kind, {}};
  std::vector<TensorId> read;
  for (size_t i = 0; i < inputs; ++i)
    read.push_back(add_input(trial.longer, "input" + std::to_string(i), in));
  add_output(trial.longer, "output", add_layer(trial.longer, name_of(kind), std::move(op), read));
  return trial;
}

void add_dense_convolutions(std::vector<ProfileTrial>& all) {
  struct Of {
    Shape in;
    size_t layers;
  };
  for (const WorkKind kind : {WorkKind::convolution, WorkKind::winograd})
    for (const auto& [in, layers] :
         {Of{{160, 160, 32}, 4}, Of{{56, 56, 64}, 4}, Of{{28, 28, 128}, 4}, Of{{14, 14, 256}, 6},
          Of{{7, 7, 512}, 6}})
      all.push_back(chain(kind, in, layers, convolution_of({.outputs = in.c})));
  const AddLayer first = convolution_of({.outputs = 64});
  all.push_back({WorkKind::convolution,
                 chained({56, 56, 64}, {first, convolution_of({.stride = 2, .outputs = 128})}),
                 chained({56, 56, 64}, {first})});
  // A picture's first layer: few input channels, and the copies of the picture are its own.
  all.push_back({WorkKind::convolution,
                 chained({160, 160, 3}, {convolution_of({.stride = 2, .outputs = 32})})});
  for (const auto& [in, layers] :
       {Of{{160, 160, 64}, 4}, Of{{56, 56, 128}, 5}, Of{{28, 28, 256}, 5}, Of{{14, 14, 512}, 12},
        Of{{7, 7, 1024}, 12}})
    all.push_back(
        chain(WorkKind::pointwise, in, layers, convolution_of({.kernel = 1, .outputs = in.c})));
}

void add_depthwise_convolutions(std::vector<ProfileTrial>& all) {
  for (const Shape in : {Shape{112, 112, 32}, Shape{56, 56, 96}, Shape{28, 28, 256}})
    all.push_back(
        chain(WorkKind::depthwise, in, 6, convolution_of({.outputs = in.c, .groups = in.c})));
  // Without a second kernel size, costs of MACs and of elements could not be told apart.
  all.push_back(chain(WorkKind::depthwise, {28, 28, 128}, 6,
                      convolution_of({.kernel = 5, .outputs = 128, .groups = 128})));
  const AddLayer first = convolution_of({.outputs = 128, .groups = 128});
  all.push_back({WorkKind::depthwise,
                 chained({56, 56, 128},
                         {first, convolution_of({.stride = 2, .outputs = 128, .groups = 128})}),
                 chained({56, 56, 128}, {first})});
}

ProfileTrial multiply(Shape first, Shape second, MatrixProduct op) {
  ProfileTrial trial{WorkKind::product, {}};
  const TensorId a = add_input(trial.longer, "first", first);
  const TensorId b = add_input(trial.longer, "second", second);
  add_output(trial.longer, "output", add_layer(trial.longer, "product", op, {a, b}));
  return trial;
}

// Scores and sums of attentions: in a detector's deepest map, and among the patches of a picture.
void add_products(std::vector<ProfileTrial>& all) {
  all.push_back(multiply({20, 20, 64}, {20, 20, 64}, {.stack = 2, .turned = true}));
  all.push_back(multiply({20, 20, 800}, {20, 20, 128}, {.stack = 2, .turned = false}));
  all.push_back(multiply({14, 14, 192}, {14, 14, 192}, {.stack = 3, .turned = true}));
  all.push_back(multiply({14, 14, 588}, {14, 14, 192}, {.stack = 3, .turned = false}));
}

ProfileTrial recur(Recurrence::Kind kind, int32_t hidden, int32_t steps) {
  ProfileTrial trial{WorkKind::recurrence, {}};
  const int32_t gates = gates_of(kind) * hidden;
  const TensorId input = add_input(trial.longer, "gates", {1, steps, gates});
  Recurrence op;
  op.kind = kind;
  op.hidden = hidden;
  op.weights = add_constant(trial.longer, weights(int64_t{gates} * hidden));
  op.activations.fill({.kind = Activation::Kind::tanh});
  add_output(trial.longer, "output", add_layer(trial.longer, "recurrence", op, {input}));
  return trial;
}

// As behind the convolutions of readers of text and of sounds: one sequence.
void add_recurrences(std::vector<ProfileTrial>& all) {
  all.push_back(recur(Recurrence::Kind::lstm, 256, 40));
  all.push_back(recur(Recurrence::Kind::lstm, 128, 80));
  all.push_back(recur(Recurrence::Kind::gru, 192, 40));
}

AddLayer max_pool(int32_t kernel, int32_t stride) {
  return [=](Model& model, TensorId input) {
    const Pooling op{
        .kind = Pooling::Kind::max, .y = window(kernel, stride), .x = window(kernel, stride)};
    return add_layer(model, "pool", op, {input});
  };
}

AddLayer silu() {
  return [](Model& model, TensorId input) {
    return add_layer(model, "silu", Elementwise{}, {input}, {.kind = Activation::Kind::silu});
  };
}

AddLayer add_to_itself() {
  return [](Model& model, TensorId input) {
    return add_layer(model, "sum", Binary{.kind = Binary::Kind::add}, {input, input});
  };
}

void add_what_has_no_weights(std::vector<ProfileTrial>& all) {
  using enum WorkKind;
  all.push_back(chain(pooling, {112, 112, 32}, 5, max_pool(3, 1)));
  all.push_back(chain(pooling, {28, 28, 128}, 5, max_pool(3, 1)));
  all.push_back(chain(elementwise, {56, 56, 64}, 6, add_to_itself()));
  all.push_back(chain(elementwise, {28, 28, 256}, 6, silu()));
  all.push_back(chain(elementwise, {56, 56, 64}, 6, silu()));
  all.push_back(trial_of(movement, {56, 56, 64}, Concat{.axis = Axis::c}, 2));
  all.push_back(trial_of(movement, {28, 28, 128}, Concat{.axis = Axis::c}, 2));
}

// A block as MobileNet has it: wide in its middle.
AddLayer inverted_bottleneck(int32_t narrow) {
  return [=](Model& model, TensorId input) {
    const int32_t wide = 4 * narrow;
    TensorId last = convolution_of({.kernel = 1, .outputs = wide})(model, input);
    last = convolution_of({.outputs = wide, .groups = wide})(model, last);
    last = convolution_of({.kernel = 1, .outputs = narrow})(model, last);
    return add_layer(model, "sum", Binary{.kind = Binary::Kind::add}, {last, input});
  };
}

}  // namespace

Model profile_network() {
  std::vector<AddLayer> layers{convolution_of({.stride = 2, .outputs = 32})};
  for (const int32_t channels : {64, 128, 256, 512}) {
    const AddLayer square = convolution_of({.outputs = channels});
    layers.insert(layers.end(),
                  {max_pool(2, 2), square, square, square, inverted_bottleneck(channels),
                   inverted_bottleneck(channels), silu()});
  }
  return chained({224, 224, 3}, layers);
}

std::vector<ProfileTrial> profile_trials() {
  std::vector<ProfileTrial> all;
  add_dense_convolutions(all);
  add_depthwise_convolutions(all);
  add_products(all);
  add_recurrences(all);
  add_what_has_no_weights(all);
  return all;
}

}  // namespace shingle
