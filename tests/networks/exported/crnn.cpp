// CRNN: the text of a grey line 32 pixels high, as scores of 37 classes for each step along it. Two
// LSTMs in both directions read the columns of a convolutional network.
#include <cmath>

#include "tests/networks/exported/builders.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t hidden = 256, classes = 37;

// Both directions, side by side: [steps, 1, 2 * hidden]. PyTorch's weights are uniform, of the
// deviation that is given here, and its LSTM starts from zeros.
Value lstm(Exporter& to, const Value& x) {
  const int64_t steps = x.dims[0], features = x.dims[2];
  const float spread = 1.0F / std::sqrt(3.0F * static_cast<float>(hidden));
  const Value input_weights = to.normal({2, 4 * hidden, features}, 3.0F * spread);
  const Value state_weights = to.normal({2, 4 * hidden, hidden}, 2.0F * spread);
  const Value biases = to.normal({2, 8 * hidden}, spread);
  const Value zeros = to.floats({2, 1, hidden}, std::vector<float>(2 * hidden, 0.0F));
  const Value y = to.nodes("LSTM", {x, input_weights, state_weights, biases, {}, zeros, zeros},
                           {{"direction", "bidirectional"}, {"hidden_size", hidden}},
                           {{steps, 2, 1, hidden}, {2, 1, hidden}, {2, 1, hidden}})[0];
  return reshape(to, transpose(to, y, {0, 2, 1, 3}), {steps, 1, 2 * hidden});
}

// A matrix for all steps.
Value projected(Exporter& to, const Value& x, int64_t features) {
  const int64_t steps = x.dims[0];
  const Value rows = reshape(to, x, {steps, x.dims[2]});
  return reshape(to, linear(to, rows, {.features = features, .gain = 2.0F}), {steps, 1, features});
}

Value conv_relu(Exporter& to, const Value& x, int64_t channels) {
  return relu(to, conv(to, x, {.channels = channels}));
}

// Halves the height; the map becomes a column wider.
Value pool_rows(Exporter& to, const Value& x) {
  return max_pool(to, x, {.strides = {2, 1}, .paddings = {0, 1}});
}

}  // namespace

void export_crnn(Exporter& to, const Value& x) {
  Value y = max_pool(to, conv_relu(to, x, 64), {});
  y = max_pool(to, conv_relu(to, y, 128), {});
  y = pool_rows(to, conv_relu(to, conv_relu(to, y, 256), 256));
  y = pool_rows(to, conv_relu(to, conv_relu(to, y, 512), 512));
  y = relu(to, conv(to, y, {.channels = 512, .kernel = 2, .padding = 0}));
  const Dims line{y.dims[0], y.dims[1], y.dims[3]};  // one row is left
  const Value columns = to.node("Squeeze", {y, to.integers({2})}, {}, line);
  y = projected(to, lstm(to, transpose(to, columns, {2, 0, 1})), hidden);
  to.output(projected(to, lstm(to, y), classes));
}

}  // namespace shingle::networks
