#include "devices/measure/profile_trials.hpp"

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

ProfileTrial convolve(WorkKind kind, Shape in, int32_t kernel, int32_t stride, int32_t outputs,
                      int32_t groups = 1) {
  ProfileTrial trial{kind, {}};
  const TensorId input = add_input(trial.model, "input", in);
  const Convolution op{.y = window(kernel, stride),
                       .x = window(kernel, stride),
                       .groups = groups,
                       .weights = add_constant(trial.model, weights(int64_t{in.c} / groups *
                                                                    kernel * kernel * outputs)),
                       .bias = add_constant(trial.model, weights(outputs))};
  const Activation leaky{.kind = Activation::Kind::leaky_relu, .alpha = 0.1F};
  add_output(trial.model, "output", add_layer(trial.model, "convolution", op, {input}, leaky));
  return trial;
}

ProfileTrial trial_of(WorkKind kind, Shape in, Operator op, size_t inputs = 1,
                      Activation activation = {}) {
  ProfileTrial trial{kind, {}};
  std::vector<TensorId> read;
  for (size_t i = 0; i < inputs; ++i)
    read.push_back(add_input(trial.model, "input" + std::to_string(i), in));
  add_output(trial.model, "output",
             add_layer(trial.model, name_of(kind), std::move(op), read, activation));
  return trial;
}

void add_convolutions(std::vector<ProfileTrial>& all) {
  using enum WorkKind;
  for (const WorkKind kind : {convolution, winograd}) {
    all.push_back(convolve(kind, {56, 56, 32}, 3, 1, 64));
    all.push_back(convolve(kind, {28, 28, 128}, 3, 1, 128));
    all.push_back(convolve(kind, {14, 14, 256}, 3, 1, 256));
  }
  all.push_back(convolve(convolution, {56, 56, 64}, 3, 2, 128));
  all.push_back(convolve(pointwise, {56, 56, 64}, 1, 1, 64));
  all.push_back(convolve(pointwise, {28, 28, 256}, 1, 1, 128));
  all.push_back(convolve(pointwise, {14, 14, 512}, 1, 1, 256));
  all.push_back(convolve(depthwise, {56, 56, 96}, 3, 1, 96, 96));
  all.push_back(convolve(depthwise, {28, 28, 256}, 3, 1, 256, 256));
  all.push_back(convolve(depthwise, {56, 56, 128}, 3, 2, 128, 128));
}

ProfileTrial multiply(Shape first, Shape second, MatrixProduct op) {
  ProfileTrial trial{WorkKind::product, {}};
  const TensorId a = add_input(trial.model, "first", first);
  const TensorId b = add_input(trial.model, "second", second);
  add_output(trial.model, "output", add_layer(trial.model, "product", op, {a, b}));
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
  const TensorId input = add_input(trial.model, "gates", {1, steps, gates});
  Recurrence op;
  op.kind = kind;
  op.hidden = hidden;
  op.weights = add_constant(trial.model, weights(int64_t{gates} * hidden));
  op.activations.fill({.kind = Activation::Kind::tanh});
  add_output(trial.model, "output", add_layer(trial.model, "recurrence", op, {input}));
  return trial;
}

// As behind the convolutions of readers of text and of sounds: one sequence.
void add_recurrences(std::vector<ProfileTrial>& all) {
  all.push_back(recur(Recurrence::Kind::lstm, 256, 40));
  all.push_back(recur(Recurrence::Kind::lstm, 128, 80));
  all.push_back(recur(Recurrence::Kind::gru, 192, 40));
}

Pooling max_pool(int32_t kernel, int32_t stride) {
  return {.kind = Pooling::Kind::max, .y = window(kernel, stride), .x = window(kernel, stride)};
}

void add_what_has_no_weights(std::vector<ProfileTrial>& all) {
  using enum WorkKind;
  all.push_back(trial_of(pooling, {112, 112, 32}, max_pool(2, 2)));
  all.push_back(trial_of(pooling, {56, 56, 128}, max_pool(2, 2)));
  all.push_back(trial_of(pooling, {28, 28, 128}, max_pool(3, 1)));
  const Activation silu{.kind = Activation::Kind::silu};
  all.push_back(trial_of(elementwise, {56, 56, 64}, Binary{.kind = Binary::Kind::add}, 2));
  all.push_back(trial_of(elementwise, {28, 28, 256}, Elementwise{}, 1, silu));
  all.push_back(trial_of(movement, {56, 56, 64}, Concat{.axis = Axis::c}, 2));
  all.push_back(trial_of(movement, {28, 28, 128}, Concat{.axis = Axis::c}, 2));
}

}  // namespace

bool counts_macs(WorkKind kind) {
  return kind == WorkKind::convolution || kind == WorkKind::winograd ||
         kind == WorkKind::pointwise || kind == WorkKind::depthwise || kind == WorkKind::product ||
         kind == WorkKind::recurrence;
}

std::vector<ProfileTrial> profile_trials() {
  std::vector<ProfileTrial> all;
  add_convolutions(all);
  add_products(all);
  add_recurrences(all);
  add_what_has_no_weights(all);
  return all;
}

}  // namespace shingle
