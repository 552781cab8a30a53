// Steps of recurrent layers: held against their equations in double, and the same bytes in any
// blocks, with any number of sequences and on every instruction set.
#include "devices/kernels/recurrence.hpp"

#include <doctest/doctest.h>

#include "partition/model/shape.hpp"
#include "tests/kernels/every_target.hpp"
#include "tests/kernels/maps.hpp"

namespace shingle::kernels {
namespace {

using Kind = Recurrence::Kind;

struct Net {
  Model model;
  Recurrence op;
  std::vector<float> weights, bias, peepholes;
  std::vector<float> packed() const {
    std::vector<float> floats(recurrence_floats(op), -77.0F);
    pack_recurrence(model, op, floats.data());
    return floats;
  }
};

std::vector<float> small(Random& random, int64_t count, int32_t hidden) {
  std::vector<float> values = random.values(static_cast<std::size_t>(count));
  for (float& value : values) value /= std::sqrt(static_cast<float>(hidden));
  return values;
}

Net net_of(Random& random, Kind kind, int32_t hidden, bool reset_after = false) {
  Net net;
  net.weights = small(random, int64_t{gates_of(kind)} * hidden * hidden, hidden);
  net.bias = random.values(static_cast<std::size_t>(hidden));
  net.peepholes = random.values(static_cast<std::size_t>(3 * hidden));
  net.op.kind = kind;
  net.op.hidden = hidden;
  net.op.reset_after = reset_after;
  net.op.weights = add_constant(net.model, net.weights);
  if (reset_after) net.op.state_bias = add_constant(net.model, net.bias);
  if (kind == Kind::lstm) net.op.peepholes = add_constant(net.model, net.peepholes);
  const Activation sigmoid{.kind = Activation::Kind::sigmoid}, tanh{.kind = Activation::Kind::tanh};
  net.op.activations = {sigmoid, tanh, tanh};
  if (kind == Kind::rnn) net.op.activations = {tanh, {}, {}};
  return net;
}

// Some sequences, each with its gates, its state and its cell.
struct Sequences {
  int32_t count, hidden;
  std::vector<float> gates, before, after, cell, reset;

  Sequences(Random& random, const Net& net, int32_t sequences)
      : count(sequences), hidden(net.op.hidden) {
    const auto floats = static_cast<std::size_t>(count) * static_cast<std::size_t>(hidden);
    gates = random.values(floats * static_cast<std::size_t>(gates_of(net.op.kind)));
    for (float& gate : gates) gate *= 3.0F;
    before = random.values(floats);
    cell = random.values(floats);
    after.assign(floats, -77.0F);
    reset.assign(floats, -77.0F);
  }

  const float* gates_of_one(int32_t i) const {
    return gates.data() +
           static_cast<std::size_t>(i) * gates.size() / static_cast<std::size_t>(count);
  }
};

// Blocks of `each` at a time, the last one first if `turned`.
void step(const Net& net, const std::vector<float>& packed, Sequences& of, int32_t each,
          bool turned, const std::vector<bool>& ended = {}) {
  std::vector<const float*> gates;
  for (int32_t i = 0; i < of.count; ++i) {
    const bool gone = !ended.empty() && ended[static_cast<std::size_t>(i)];
    gates.push_back(gone ? nullptr : of.gates_of_one(i));
  }
  const RecurrentStep call{.op = net.op,
                           .packed = packed.data(),
                           .gates = gates,
                           .states = {.before = of.before.data(),
                                      .after = of.after.data(),
                                      .cell = of.cell.data(),
                                      .reset = of.reset.data(),
                                      .sequence = of.hidden},
                           .last_block_first = turned};
  for (int32_t phase = 0; phase < recurrence_phases(net.op); ++phase) {
    const int32_t blocks = recurrence_blocks(net.op, phase);
    for (int32_t first = 0; first < blocks; first += each) {
      const int32_t begin = turned ? std::max(0, blocks - first - each) : first;
      recurrent_step(call, phase,
                     {begin, turned ? blocks - first : std::min(blocks, first + each)});
    }
  }
}

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The state and the cell of one unit after the step, by ONNX's equations.
struct Unit {
  double state, cell;
};
Unit defined(const Net& net, const Sequences& of, int32_t sequence, int32_t unit) {
  const int32_t hidden = of.hidden;
  const float* gates = of.gates_of_one(sequence);
  const float* before = of.before.data() + sequence * hidden;
  const auto product = [&](int32_t gate, int32_t out, auto from) {
    double sum = 0.0;
    for (int32_t i = 0; i < hidden; ++i)
      sum += double{net.weights[static_cast<std::size_t>((gate * hidden + out) * hidden + i)]} *
             from(i);
    return sum;
  };
  const auto state = [&](int32_t i) { return double{before[i]}; };
  const auto gate = [&](int32_t number, int32_t out) {
    return double{gates[number * hidden + out]} + product(number, out, state);
  };
  const auto peep = [&](int32_t which) {
    return double{net.peepholes[static_cast<std::size_t>(which * hidden + unit)]};
  };
  switch (net.op.kind) {
    case Kind::rnn:
      return {std::tanh(gate(0, unit)), 0.0};
    case Kind::gru: {
      const double z = sigmoid(gate(0, unit)), r = sigmoid(gate(1, unit));
      const auto reset = [&](int32_t i) { return sigmoid(gate(1, i)) * state(i); };
      const double from_state =
          net.op.reset_after
              ? r * (product(2, unit, state) + double{net.bias[static_cast<std::size_t>(unit)]})
              : product(2, unit, reset);
      const double fresh = std::tanh(double{gates[2 * hidden + unit]} + from_state);
      return {(1.0 - z) * fresh + z * state(unit), 0.0};
    }
    case Kind::lstm:
      break;
  }
  const double was = double{of.cell[static_cast<std::size_t>(sequence * hidden + unit)]};
  const double i = sigmoid(gate(0, unit) + peep(0) * was),
               f = sigmoid(gate(2, unit) + peep(2) * was);
  const double cell = f * was + i * std::tanh(gate(3, unit));
  return {sigmoid(gate(1, unit) + peep(1) * cell) * std::tanh(cell), cell};
}

struct Case {
  Kind kind;
  int32_t hidden;
  bool reset_after = false;
};
constexpr Case cases[] = {{Kind::rnn, 1},        {Kind::rnn, 50},       {Kind::rnn, 131},
                          {Kind::gru, 7},        {Kind::gru, 64},       {Kind::gru, 131},
                          {Kind::gru, 33, true}, {Kind::gru, 64, true}, {Kind::lstm, 5},
                          {Kind::lstm, 64},      {Kind::lstm, 131}};

}  // namespace

TEST_CASE("a step follows the equations on every instruction set, all that fuse with equal bytes") {
  for (const Case& each : cases) {
    Random random(static_cast<uint64_t>(each.hidden));
    const Net net = net_of(random, each.kind, each.hidden, each.reset_after);
    const Sequences given(random, net, 3);
    CAPTURE(each.hidden);
    std::vector<float> want;
    on_every_target([&] {
      Sequences of = given;
      step(net, net.packed(), of, 1, false);
      double worst = 0.0;
      for (int32_t s = 0; s < of.count; ++s) {
        for (int32_t u = 0; u < each.hidden; ++u) {
          const auto at = static_cast<std::size_t>(s * each.hidden + u);
          const Unit exact = defined(net, given, s, u);
          worst = worse(worst, std::abs(double{of.after[at]} - exact.state));
          if (each.kind == Kind::lstm)
            worst = worse(worst, std::abs(double{of.cell[at]} - exact.cell));
        }
      }
      CHECK(worst < 2e-6);
      std::vector<float> got = of.after;
      if (each.kind == Kind::lstm) got.insert(got.end(), of.cell.begin(), of.cell.end());
      if (!fuses_multiply_add()) return;
      if (want.empty()) want = got;
      CHECK(std::memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0);
    });
  }
}

TEST_CASE("blocks, their order and other sequences change no byte of a step") {
  for (const Case& each : cases) {
    Random random(static_cast<uint64_t>(each.hidden) + 1000);
    const Net net = net_of(random, each.kind, each.hidden, each.reset_after);
    const std::vector<float> packed = net.packed();
    const Sequences given(random, net, 15);
    CAPTURE(each.hidden);
    Sequences all = given;
    step(net, packed, all, 1000, false);
    for (const int32_t blocks : {1, 3}) {
      Sequences other = given;
      step(net, packed, other, blocks, true);
      CHECK(other.after == all.after);
      CHECK(other.cell == all.cell);
    }
    // Alone, and beside others that have ended.
    for (int32_t s = 0; s < given.count; ++s) {
      Sequences one = given;
      std::vector<bool> ended(static_cast<std::size_t>(given.count), true);
      ended[static_cast<std::size_t>(s)] = false;
      step(net, packed, one, 2, false, ended);
      for (int32_t i = 0; i < given.count * each.hidden; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool its = i / each.hidden == s;
        CHECK(one.after[at] == (its ? all.after[at] : -77.0F));
        if (each.kind == Kind::lstm) CHECK(one.cell[at] == (its ? all.cell[at] : given.cell[at]));
      }
    }
  }
}

TEST_CASE("extreme gates give the activations' limits and no NaN") {
  for (const Case& each : cases) {
    Random random(5);
    const Net net = net_of(random, each.kind, each.hidden, each.reset_after);
    for (const float size : {50.0F, 1e4F, 3e38F}) {
      Sequences of(random, net, 2);
      for (float& gate : of.gates) gate = gate < 0.0F ? -size : size;
      step(net, net.packed(), of, 1, false);
      for (const float value : of.after) CHECK(std::abs(value) <= 1.0F);
    }
  }
}

}  // namespace shingle::kernels
