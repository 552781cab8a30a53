// RNN, GRU and LSTM, held against ONNX's equations in double.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

struct Function {
  std::string name;
  double alpha = 0.0, beta = 0.0;

  double operator()(double v) const {
    if (name == "Relu") return std::max(v, 0.0);
    if (name == "Tanh") return std::tanh(v);
    if (name == "Sigmoid") return 1.0 / (1.0 + std::exp(-v));
    if (name == "LeakyRelu") return v < 0.0 ? alpha * v : v;
    if (name == "ThresholdedRelu") return v > alpha ? v : 0.0;
    if (name == "HardSigmoid") return std::min(1.0, std::max(0.0, alpha * v + beta));
    if (name == "Elu") return v < 0.0 ? alpha * (std::exp(v) - 1.0) : v;
    REQUIRE(name == "Softplus");
    return std::log(1.0 + std::exp(v));
  }
};

enum class First : uint8_t { none, constant, computed, hidden_only };

struct Net {
  std::string op = "LSTM", direction = "forward";
  int64_t layout = 0, steps = 5, batch = 1, input = 3, hidden = 4;
  bool bias = true, peepholes = false;
  First first = First::none;
  Dims lengths{};
  float clip = 0.0F;
  int64_t input_forget = 0, linear_before_reset = 0;
  std::vector<Function> functions{};  // of all directions; empty: ONNX's
  bool names_functions = false;
  std::vector<float> alphas{}, betas{};
  int64_t opset = 14;

  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
  int64_t gates() const { return op == "LSTM" ? 4 : op == "GRU" ? 3 : 1; }
  bool backward(int64_t d) const { return direction == "reverse" || d == 1; }
  int64_t length(int64_t b) const {
    return lengths.empty() ? steps : lengths[static_cast<size_t>(b)];
  }
  Dims state_dims() const {
    return layout == 1 ? Dims{batch, directions(), hidden} : Dims{directions(), batch, hidden};
  }
  Dims x_dims() const {
    return layout == 1 ? Dims{batch, steps, input} : Dims{steps, batch, input};
  }
};

struct Operands {
  Array x, w, r, b, h, c, p;
};

Array scaled(Array array, float by) {
  for (float& value : array.values) value *= by;
  return array;
}

Operands operands_of(const Net& net, uint64_t seed) {
  const int64_t d = net.directions(), rows = net.gates() * net.hidden;
  const float scale = 1.0F / std::sqrt(static_cast<float>(net.hidden));
  return {.x = random_array(net.x_dims(), seed),
          .w = random_array({d, rows, net.input}, seed + 1),
          .r = scaled(random_array({d, rows, net.hidden}, seed + 2), scale),
          .b = random_array({d, 2 * rows}, seed + 3),
          .h = random_array(net.state_dims(), seed + 4),
          .c = random_array(net.state_dims(), seed + 5),
          .p = random_array({d, 3 * net.hidden}, seed + 6)};
}

using State = std::vector<double>;

// One direction of one sequence.
class Defined {
 public:
  Defined(const Net& net, const Operands& with, int64_t d, int64_t b)
      : net_(net), with_(with), d_(d), b_(b) {
    const Dims at = net.layout == 1 ? Dims{b, d, 0} : Dims{d, b, 0};
    for (int64_t u = 0; u < net.hidden; ++u) {
      const Dims place{at[0], at[1], u};
      h.push_back(net.first == First::none ? 0.0 : with.h.at(place));
      const bool no_cell = net.first == First::none || net.first == First::hidden_only;
      c.push_back(no_cell ? 0.0 : with.c.at(place));
    }
  }

  void step(int64_t t) {
    if (net_.op == "LSTM") return lstm(t);
    if (net_.op == "GRU") return gru(t);
    State next;
    for (int64_t u = 0; u < net_.hidden; ++u)
      next.push_back(f(0, x(t, 0, u) + product(0, u, h) + bias(0, u) + bias(1, u)));
    h = next;
  }

  State h, c;

 private:
  double f(size_t which, double value) const {
    const size_t each = net_.op == "LSTM" ? 3 : net_.op == "GRU" ? 2 : 1;
    if (net_.clip > 0.0F) {
      const auto limit = static_cast<double>(net_.clip);
      value = std::min(limit, std::max(-limit, value));
    }
    return net_.functions[static_cast<size_t>(d_) * each + which](value);
  }
  double x(int64_t t, int64_t gate, int64_t unit) const {
    double sum = 0.0;
    for (int64_t i = 0; i < net_.input; ++i) {
      const Dims place = net_.layout == 1 ? Dims{b_, t, i} : Dims{t, b_, i};
      sum += with_.x.at(place) * with_.w.at({d_, gate * net_.hidden + unit, i});
    }
    return sum;
  }
  double product(int64_t gate, int64_t unit, const State& of) const {
    double sum = 0.0;
    for (int64_t i = 0; i < net_.hidden; ++i)
      sum += of[static_cast<size_t>(i)] * with_.r.at({d_, gate * net_.hidden + unit, i});
    return sum;
  }
  // Number `which` of the biases: W's gates, then R's.
  double bias(int64_t which, int64_t unit) const {
    return net_.bias ? with_.b.at({d_, which * net_.hidden + unit}) : 0.0;
  }
  double peephole(int64_t which, int64_t unit) const {
    return net_.peepholes ? with_.p.at({d_, which * net_.hidden + unit}) : 0.0;
  }

  void gru(int64_t t) {
    State z, r, reset, next;
    for (int64_t u = 0; u < net_.hidden; ++u) {
      z.push_back(f(0, x(t, 0, u) + product(0, u, h) + bias(0, u) + bias(3, u)));
      r.push_back(f(0, x(t, 1, u) + product(1, u, h) + bias(1, u) + bias(4, u)));
      reset.push_back(r.back() * h[static_cast<size_t>(u)]);
    }
    for (int64_t u = 0; u < net_.hidden; ++u) {
      const auto i = static_cast<size_t>(u);
      const double from_state = net_.linear_before_reset != 0
                                    ? r[i] * (product(2, u, h) + bias(5, u))
                                    : product(2, u, reset) + bias(5, u);
      const double fresh = f(1, x(t, 2, u) + from_state + bias(2, u));
      next.push_back((1.0 - z[i]) * fresh + z[i] * h[i]);
    }
    h = next;
  }

  void lstm(int64_t t) {
    State next_h, next_c;
    const auto sum = [&](int64_t gate, int64_t u) {
      return x(t, gate, u) + product(gate, u, h) + bias(gate, u) + bias(gate + 4, u);
    };
    for (int64_t u = 0; u < net_.hidden; ++u) {
      const double before = c[static_cast<size_t>(u)];
      const double in = f(0, sum(0, u) + peephole(0, u) * before);
      double forget = f(0, sum(2, u) + peephole(2, u) * before);
      if (net_.input_forget != 0) forget = 1.0 - in;
      const double cell = forget * before + in * f(1, sum(3, u));
      const double out = f(0, sum(1, u) + peephole(1, u) * cell);
      next_c.push_back(cell);
      next_h.push_back(out * f(2, cell));
    }
    h = next_h;
    c = next_c;
  }

  const Net& net_;
  const Operands& with_;
  int64_t d_, b_;
};

// By output: Y, Y_h, Y_c.
std::array<Array, 3> defined(const Net& net, const Operands& with) {
  const int64_t d_count = net.directions();
  const Dims y = net.layout == 1 ? Dims{net.batch, net.steps, d_count, net.hidden}
                                 : Dims{net.steps, d_count, net.batch, net.hidden};
  std::array<Array, 3> all{Array{y, {}}, Array{net.state_dims(), {}}, Array{net.state_dims(), {}}};
  for (Array& array : all) array = scaled(random_array(array.dims, 1), 0.0F);
  const auto put = [](Array& array, const Dims& index, double value) {
    int64_t at = 0;
    for (size_t dim = 0; dim < index.size(); ++dim) at = at * array.dims[dim] + index[dim];
    array.values[static_cast<size_t>(at)] = static_cast<float>(value);
  };
  for (int64_t d = 0; d < d_count; ++d) {
    for (int64_t b = 0; b < net.batch; ++b) {
      Defined sequence(net, with, d, b);
      for (int64_t s = 0; s < net.length(b); ++s) {
        const int64_t t = net.backward(d) ? net.length(b) - 1 - s : s;
        sequence.step(t);
        for (int64_t u = 0; u < net.hidden; ++u) {
          const auto i = static_cast<size_t>(u);
          put(all[0], net.layout == 1 ? Dims{b, t, d, u} : Dims{t, d, b, u}, sequence.h[i]);
          const Dims last = net.layout == 1 ? Dims{b, d, u} : Dims{d, b, u};
          put(all[1], last, sequence.h[i]);
          put(all[2], last, sequence.c[i]);
        }
      }
    }
  }
  return all;
}

networks::OnnxAttributes attributes_of(const Net& net) {
  networks::OnnxAttributes all{{"hidden_size", net.hidden}, {"direction", net.direction}};
  if (net.opset >= 14) all.emplace_back("layout", net.layout);
  if (net.clip > 0.0F) all.emplace_back("clip", net.clip);
  if (net.input_forget != 0) all.emplace_back("input_forget", net.input_forget);
  if (net.linear_before_reset != 0)
    all.emplace_back("linear_before_reset", net.linear_before_reset);
  if (net.names_functions) {
    std::vector<std::string> names;
    for (const Function& function : net.functions) names.push_back(function.name);
    all.emplace_back("activations", names);
  }
  if (!net.alphas.empty()) all.emplace_back("activation_alpha", net.alphas);
  if (!net.betas.empty()) all.emplace_back("activation_beta", net.betas);
  return all;
}

// The node's output number `output`; the others are left out.
Array computed(const Net& net, const Operands& with, size_t output) {
  OnnxGraph graph;
  Array in = with.x;
  std::string x = "in", h, c;
  const bool lstm = net.op == "LSTM";
  if (net.first == First::computed) {
    const auto size = static_cast<int64_t>(in.values.size());
    const auto states = static_cast<int64_t>(with.h.values.size());
    in.values.insert(in.values.end(), with.h.values.begin(), with.h.values.end());
    in.values.insert(in.values.end(), with.c.values.begin(), with.c.values.end());
    in.dims = {static_cast<int64_t>(in.values.size())};
    x = part_of_input(graph, with.x.dims, 0);
    h = part_of_input(graph, with.h.dims, size);
    if (lstm) c = part_of_input(graph, with.c.dims, size + states);
  } else if (net.first != First::none) {
    h = graph.floats(with.h.dims, with.h.values);
    if (lstm && net.first == First::constant) c = graph.floats(with.c.dims, with.c.values);
  }
  const auto constant = [&](const Array& array) { return graph.floats(array.dims, array.values); };
  std::vector<std::string> inputs{x,
                                  constant(with.w),
                                  constant(with.r),
                                  net.bias ? constant(with.b) : "",
                                  net.lengths.empty() ? "" : graph.integers(net.lengths),
                                  h};
  if (lstm) inputs.push_back(c);
  if (lstm && net.peepholes) inputs.push_back(constant(with.p));
  std::vector<std::string> outputs(output + 1);
  outputs.back() = "result";
  graph.node_with_outputs(net.op, inputs, attributes_of(net), outputs);
  return run_onnx(graph, "result", in, net.opset);
}

void check(Net net, uint64_t seed = 1) {
  CAPTURE(net.op);
  CAPTURE(net.direction);
  CAPTURE(net.layout);
  if (net.functions.empty()) {
    std::vector<Function> usual{{"Tanh"}};
    if (net.op == "GRU") usual = {{"Sigmoid"}, {"Tanh"}};
    if (net.op == "LSTM") usual = {{"Sigmoid"}, {"Tanh"}, {"Tanh"}};
    for (int64_t d = 0; d < net.directions(); ++d)
      net.functions.insert(net.functions.end(), usual.begin(), usual.end());
  }
  const Operands with = operands_of(net, seed);
  const std::array<Array, 3> all = defined(net, with);
  for (size_t output = 0; output < (net.op == "LSTM" ? 3 : 2); ++output) {
    CAPTURE(output);
    check_everywhere(
        computed(net, with, output), all[output].dims,
        [&](const Dims& at) { return all[output].at(at); }, 1e-5);
  }
}

constexpr const char* operators[] = {"RNN", "GRU", "LSTM"};
constexpr const char* directions[] = {"forward", "reverse", "bidirectional"};

}  // namespace

TEST_CASE("RNN, GRU and LSTM follow ONNX's equations in every direction and layout") {
  for (const char* op : operators) {
    for (const char* direction : directions) {
      for (const int64_t layout : {0, 1}) {
        check({.op = op, .direction = direction, .layout = layout, .batch = 1});
        check({.op = op, .direction = direction, .layout = layout, .batch = 3, .hidden = 37});
      }
    }
  }
}

TEST_CASE("A recurrent layer takes its first state from a constant or from the input") {
  for (const char* op : operators) {
    for (const char* direction : directions) {
      for (const First first : {First::constant, First::computed, First::hidden_only}) {
        for (const int64_t layout : {0, 1})
          check({.op = op, .direction = direction, .layout = layout, .batch = 2, .first = first});
      }
    }
  }
}

TEST_CASE("Sequences shorter than the input end earlier, and backwards begin there") {
  for (const char* op : operators) {
    for (const char* direction : directions) {
      for (const Dims& lengths : {Dims{5, 2, 0, 1}, Dims{3, 3, 3, 3}, Dims{5, 5, 5, 5}})
        check({.op = op,
               .direction = direction,
               .batch = 4,
               .first = First::constant,
               .lengths = lengths});
    }
  }
}

TEST_CASE("An LSTM has peepholes, a clip and coupled gates") {
  for (const char* direction : {"forward", "bidirectional"}) {
    check({.direction = direction, .batch = 2, .peepholes = true, .first = First::constant});
    check({.direction = direction, .peepholes = true, .clip = 0.4F});
    check({.direction = direction, .input_forget = 1});
    check({.direction = direction, .bias = false});
  }
}

TEST_CASE("A GRU resets before or after the product, with or without biases and a clip") {
  for (const int64_t after : {0, 1}) {
    for (const bool bias : {false, true}) {
      for (const int64_t hidden : {3, 64, 130}) {
        check({.op = "GRU", .hidden = hidden, .bias = bias, .linear_before_reset = after});
        check({.op = "GRU",
               .direction = "bidirectional",
               .batch = 2,
               .hidden = hidden,
               .bias = bias,
               .clip = 0.5F,
               .linear_before_reset = after});
      }
    }
  }
  check({.op = "RNN", .clip = 0.3F});
}

TEST_CASE("Activations take their numbers from the lists in order, or ONNX's own") {
  const Net two{.op = "GRU", .direction = "bidirectional", .batch = 2, .names_functions = true};
  Net net = two;
  net.functions = {{"HardSigmoid", 0.3, 0.4}, {"LeakyRelu", 0.2}, {"Sigmoid"}, {"Elu", 0.5}};
  net.alphas = {0.3F, 0.2F, 0.5F};
  net.betas = {0.4F};
  check(net);
  net.functions = {{"HardSigmoid", 0.2, 0.5}, {"LeakyRelu", 0.01}, {"Sigmoid"}, {"Elu", 1.0}};
  net.alphas = net.betas = {};
  check(net);
  net.functions = {{"Sigmoid"}, {"Softplus"}, {"HardSigmoid", 0.2, 0.5}, {"ThresholdedRelu", 0.1}};
  net.alphas = {0.2F, 0.1F};
  check(net);
  check({.op = "RNN", .functions = {{"Relu"}}, .names_functions = true});
  check({.functions = {{"Sigmoid"}, {"Relu"}, {"Softplus"}}, .names_functions = true});
}

TEST_CASE("Recurrent layers are the same in opsets 7, 14 and 22") {
  for (const char* op : operators)
    for (const int64_t opset : {7, 14, 22}) check({.op = op, .batch = 2, .opset = opset});
}

TEST_CASE("Wide layers of many sequences agree with their definition") {
  for (const char* op : operators) {
    check({.op = op, .steps = 3, .batch = 15, .input = 5, .hidden = 100});
    check({.op = op, .steps = 9, .batch = 1, .input = 8, .hidden = 256}, 7);
  }
}

}  // namespace shingle::tests
