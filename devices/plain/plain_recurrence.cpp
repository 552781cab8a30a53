// Recurrent layers, sequence by sequence and step by step. What a gate gets is summed in double in
// the order of the hidden units, and is rounded once; all else is computed in float.
//
// A region needs the steps before it, so each sequence is computed from its first step on, in
// scratch, and what belongs to the region is copied.
#include <algorithm>
#include <array>
#include <cassert>

#include "devices/executor/view.hpp"
#include "devices/plain/elementwise.hpp"
#include "devices/plain/plain_operators.hpp"
#include "partition/model/shape.hpp"

namespace shingle {

namespace {

constexpr int32_t lanes = 64;  // units summed side by side: 512 bytes of the stack

// Where the vectors of one sequence lie in the scratch, each `hidden` floats long. The cell follows
// the state, as in the output.
enum Vector : int32_t { state, cell, first_gate, kept = first_gate + 4, vectors };

class Sequence {
 public:
  Sequence(const PlainCall& call, const Recurrence& op)
      : op_(op),
        hidden_(op.hidden),
        weights_(call.constants.weights.data()),
        state_bias_(call.constants.bias.data()),
        peepholes_(state_bias_ + hidden_),
        scratch_(call.scratch.data()) {
    assert(std::ssize(call.scratch) >= int64_t{vectors} * hidden_);
  }

  float* at(int32_t vector) const { return scratch_ + int64_t{vector} * hidden_; }

  void begin(const float* first) const {
    const auto count = op_.kind == Recurrence::Kind::lstm ? 2 * hidden_ : hidden_;
    if (first != nullptr)
      std::copy_n(first, count, at(state));
    else
      std::fill_n(at(state), count, 0.0F);
  }

  void step(const float* gates) const {
    switch (op_.kind) {
      case Recurrence::Kind::rnn:
        return rnn(gates);
      case Recurrence::Kind::gru:
        return gru(gates);
      case Recurrence::Kind::lstm:
        return lstm(gates);
    }
  }

 private:
  float* gate(int32_t number) const { return at(first_gate + number); }

  // gate = start + weights * from, all units.
  void add_state(int32_t number, const float* start, const float* from) const {
    const float* weights = weights_ + int64_t{number} * hidden_ * hidden_;
    float* out = gate(number);
    for (int32_t unit = 0; unit < hidden_; unit += lanes) {
      const int32_t count = std::min(lanes, hidden_ - unit);
      std::array<double, lanes> sums{};
      for (int32_t i = 0; i < count; ++i)
        sums[static_cast<size_t>(i)] = static_cast<double>(start[unit + i]);
      for (int32_t before = 0; before < hidden_; ++before) {
        const float* row = weights + int64_t{before} * hidden_ + unit;
        const auto value = static_cast<double>(from[before]);
        for (int32_t i = 0; i < count; ++i)
          sums[static_cast<size_t>(i)] += value * static_cast<double>(row[i]);
      }
      for (int32_t i = 0; i < count; ++i)
        out[unit + i] = static_cast<float>(sums[static_cast<size_t>(i)]);
    }
  }

  void add_peephole(int32_t number, int32_t which) const {
    for (int32_t i = 0; i < hidden_; ++i)
      gate(number)[i] += peepholes_[which * hidden_ + i] * at(cell)[i];
  }

  // Of one vector, clipped first.
  void activated(int32_t function, const float* in, float* out) const {
    const float limit = op_.clip;
    for (int32_t i = 0; i < hidden_; ++i)
      out[i] = limit > 0.0F ? std::clamp(in[i], -limit, limit) : in[i];
    activate(op_.activations[static_cast<size_t>(function)], out, out, hidden_);
  }
  void activate_gate(int32_t function, int32_t number) const {
    activated(function, gate(number), gate(number));
  }

  void rnn(const float* gates) const {
    add_state(0, gates, at(state));
    activated(0, gate(0), at(state));
  }

  void gru(const float* gates) const {
    enum { z, r, h };
    for (const int32_t number : {z, r}) {
      add_state(number, gates + number * hidden_, at(state));
      activate_gate(0, number);
    }
    const float* from_input = gates + h * hidden_;
    if (op_.reset_after) {
      add_state(h, state_bias_, at(state));
      for (int32_t i = 0; i < hidden_; ++i) gate(h)[i] = from_input[i] + gate(r)[i] * gate(h)[i];
    } else {
      for (int32_t i = 0; i < hidden_; ++i) at(kept)[i] = gate(r)[i] * at(state)[i];
      add_state(h, from_input, at(kept));
    }
    activate_gate(1, h);
    for (int32_t i = 0; i < hidden_; ++i)
      at(state)[i] = (1.0F - gate(z)[i]) * gate(h)[i] + gate(z)[i] * at(state)[i];
  }

  void lstm(const float* gates) const {
    enum { i, o, f, c };
    for (const int32_t number : {i, o, f, c})
      add_state(number, gates + number * hidden_, at(state));
    if (op_.peepholes) add_peephole(i, 0);
    if (op_.peepholes) add_peephole(f, 2);
    for (const int32_t number : {i, f}) activate_gate(0, number);
    activate_gate(1, c);
    for (int32_t u = 0; u < hidden_; ++u) {
      const float forget = op_.input_forget ? 1.0F - gate(i)[u] : gate(f)[u];
      at(cell)[u] = forget * at(cell)[u] + gate(i)[u] * gate(c)[u];
    }
    if (op_.peepholes) add_peephole(o, 1);
    activate_gate(0, o);
    activated(2, at(cell), at(kept));
    for (int32_t u = 0; u < hidden_; ++u) at(state)[u] = gate(o)[u] * at(kept)[u];
  }

  const Recurrence& op_;
  const int32_t hidden_;
  const float* weights_;  // [gate][hidden of the step before][hidden]
  const float *state_bias_, *peepholes_;
  float* scratch_;
};

}  // namespace

int64_t plain_scratch_floats(const Layer& layer) {
  const auto* op = std::get_if<Recurrence>(&layer.op);
  return op != nullptr ? int64_t{vectors} * op->hidden : 0;
}

void run_operator(const PlainCall& call, const Recurrence& op) {
  const Sequence sequence(call, op);
  const Region& region = call.region;
  const int32_t width = call.model.at(call.layer.output).shape.w;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    const int32_t length = op.lengths.empty() ? width : op.lengths[static_cast<size_t>(y)];
    sequence.begin(call.inputs.size() == 2 ? at(call.inputs[1], y, 0, 0) : nullptr);
    const int32_t last = op.backward ? region.x.begin : region.x.end - 1;
    for (int32_t x = op.backward ? length - 1 : 0; op.backward ? x >= last : x <= last;
         x += op.backward ? -1 : 1) {
      if (x < length) sequence.step(at(call.inputs[0], y, x, 0));
      if (x < region.x.begin || x >= region.x.end) continue;
      std::copy_n(sequence.at(state) + region.c.begin, region.c.size(),
                  at(call.output, y, x, region.c.begin));
    }
    for (int32_t x = std::max(length, region.x.begin); x < region.x.end; ++x)
      std::fill_n(at(call.output, y, x, region.c.begin), region.c.size(), 0.0F);
  }
}

}  // namespace shingle
