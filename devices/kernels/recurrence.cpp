#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/kernels/recurrence.cpp"
#include "devices/kernels/targets.hpp"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include <algorithm>
#include <cassert>

#include "devices/kernels/block-inl.hpp"
#include "devices/kernels/panel.hpp"
#include "devices/kernels/recurrence.hpp"

#ifndef SHINGLE_KERNELS_RECURRENCE_ONCE
#define SHINGLE_KERNELS_RECURRENCE_ONCE
namespace shingle::kernels {

// The gates of a phase, and how many vectors of units a block of it has: about four accumulators
// for each sequence hide the latency of a multiply-add.
struct RecurrentPhase {
  int32_t first_gate = 0, gates = 1, vectors = 4;
};
inline constexpr std::size_t most_accumulators = 4;

inline RecurrentPhase phase_of(const Recurrence& op, int32_t phase) {
  switch (op.kind) {
    case Recurrence::Kind::rnn:
      break;
    case Recurrence::Kind::gru:
      if (op.reset_after) return {.first_gate = 0, .gates = 3, .vectors = 1};
      if (phase == 0) return {.first_gate = 0, .gates = 2, .vectors = 2};
      return {.first_gate = 2, .gates = 1, .vectors = 4};
    case Recurrence::Kind::lstm:
      return {.first_gate = 0, .gates = 4, .vectors = 1};
  }
  return {};
}

inline bool has_two_phases(const Recurrence& op) {
  return op.kind == Recurrence::Kind::gru && !op.reset_after;
}

// Packed are [phase][block][hidden of the step before][gate][unit of the block], units in whole
// vectors, then the state's bias and three peepholes, each in whole vectors.
struct PackedPlaces {
  PackedPlaces(const Recurrence& its_op, std::size_t vector)
      : op(its_op),
        hidden(static_cast<std::size_t>(its_op.hidden)),
        padded((hidden + vector - 1) / vector * vector) {}

  std::size_t block(int32_t phase, std::size_t first_unit) const {
    const RecurrentPhase at = phase_of(op, phase);
    const auto before = static_cast<std::size_t>(at.first_gate) * padded;
    return (before + static_cast<std::size_t>(at.gates) * first_unit) * hidden;
  }
  std::size_t state_bias() const {
    const RecurrentPhase last = phase_of(op, has_two_phases(op) ? 1 : 0);
    return static_cast<std::size_t>(last.first_gate + last.gates) * padded * hidden;
  }
  std::size_t peephole(std::size_t which) const { return state_bias() + (1 + which) * padded; }
  std::size_t all() const { return peephole(3); }

  const Recurrence& op;
  std::size_t hidden, padded;
};

}  // namespace shingle::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

// Sequences whose sums are in registers at a time.
#if (HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86) || HWY_ARCH_ARM_A64
inline constexpr std::size_t most_sequences = 6;
#else
inline constexpr std::size_t most_sequences = 2;
#endif

// The sequences that are computed together, and the sums of their gates.
struct Together {
  std::size_t count = 0;
  std::ptrdiff_t offset[most_sequences] = {};                        // of their states
  const float* gates[most_sequences] = {};                           // of their input
  HWY_ALIGN float sums[most_sequences * most_accumulators * lanes];  // [sequence][gate][unit]
};

struct UnitBlock {
  std::size_t unit, vectors;  // the first, and how many vectors of them
  std::size_t gates;
  const float* weights;
};

using SumFunction = void (*)(const float* const* from, std::size_t depth, const float* weights,
                             float* sums);

// Prefetches would take as many loads again as the weights, which come from L2 as fast as they are
// used: with them a step of 512 units took 1.3 times as long (Zen 4).
template <std::size_t M, std::size_t N>
HWY_NOINLINE void add_states(const float* const* from, std::size_t depth, const float* weights,
                             float* sums) {
  const F d;
  Block<M, N> acc;
  take_up(d, sums, N * lanes, acc);
  const float* state[M];
  repeat<M>([&](auto m) SHINGLE_INLINE { state[m] = from[m]; });
  for (std::size_t k = 0; k < depth; ++k, weights += N * lanes) {
    V weight[N];
    repeat<N>([&](auto n) SHINGLE_INLINE { weight[n] = hn::LoadU(d, weights + n * lanes); });
    repeat<M>([&](auto m) SHINGLE_INLINE {
      const V value = hn::Set(d, state[m][k]);
      repeat<N>([&](auto n)
                    SHINGLE_INLINE { acc.at[m][n] = hn::MulAdd(value, weight[n], acc.at[m][n]); });
    });
  }
  repeat<M>([&](auto m) SHINGLE_INLINE {
    repeat<N>([&](auto n)
                  SHINGLE_INLINE { hn::StoreU(acc.at[m][n], d, sums + (m * N + n) * lanes); });
  });
}

template <std::size_t... I>
constexpr auto sum_table(std::index_sequence<I...>) {
  return std::array<SumFunction, sizeof...(I)>{
      &add_states<I / most_accumulators + 1, I % most_accumulators + 1>...};
}

inline SumFunction sum_function(std::size_t sequences, std::size_t accumulators) {
  static constexpr auto table =
      sum_table(std::make_index_sequence<most_sequences * most_accumulators>());
  return table[(sequences - 1) * most_accumulators + accumulators - 1];
}

class Step {
 public:
  Step(const RecurrentStep& step, int32_t phase)
      : step_(step),
        op_(step.op),
        phase_(phase),
        shape_(phase_of(step.op, phase)),
        places_(step.op, lanes),
        hidden_(static_cast<std::size_t>(step.op.hidden)) {}

  void block(int32_t index) const {
    const auto each = static_cast<std::size_t>(shape_.vectors) * lanes;
    UnitBlock block{.unit = static_cast<std::size_t>(index) * each,
                    .vectors = 0,
                    .gates = static_cast<std::size_t>(shape_.gates),
                    .weights = nullptr};
    block.vectors = (std::min(each, hidden_ - block.unit) + lanes - 1) / lanes;
    block.weights = step_.packed + places_.block(phase_, block.unit);
    Together some;
    for (std::size_t i = 0; i < step_.gates.size(); ++i) {
      if (step_.gates[i] == nullptr) continue;
      some.offset[some.count] = static_cast<std::ptrdiff_t>(i) * step_.states.sequence;
      some.gates[some.count++] = step_.gates[i];
      if (some.count == most_sequences) compute(block, some);
    }
    if (some.count > 0) compute(block, some);
  }

 private:
  void compute(const UnitBlock& block, Together& some) const {
    const F d;
    const std::size_t accumulators = block.gates * block.vectors;
    const float* from[most_sequences];
    for (std::size_t m = 0; m < some.count; ++m) {
      from[m] = (phase_ == 0 ? step_.states.before : step_.states.reset) + some.offset[m];
      for (std::size_t n = 0; n < accumulators; ++n)
        hn::StoreU(first(d, block, some.gates[m], n), d,
                   some.sums + (m * accumulators + n) * lanes);
    }
    sum_function(some.count, accumulators)(from, hidden_, block.weights, some.sums);
    for (std::size_t m = 0; m < some.count; ++m) {
      for (std::size_t v = 0; v < block.vectors; ++v) {
        const float* sums = some.sums + (m * accumulators + v) * lanes;
        finish(d, sums, block.vectors * lanes, block.unit + v * lanes, some.gates[m],
               some.offset[m]);
      }
    }
    some.count = 0;
  }

  // Where the sum of accumulator n begins.
  V first(F d, const UnitBlock& block, const float* gates, std::size_t n) const {
    const std::size_t gate = static_cast<std::size_t>(shape_.first_gate) + n / block.vectors;
    const std::size_t unit = block.unit + n % block.vectors * lanes;
    if (op_.reset_after && gate == 2)
      return hn::LoadU(d, step_.packed + places_.state_bias() + unit);
    return load_first(d, gates + gate * hidden_ + unit, hidden_ - unit);
  }

  // The layer's function number `which` of what is clipped first.
  V function(F d, std::size_t which, V x) const {
    if (op_.clip > 0.0F) x = hn::Min(hn::Max(x, hn::Set(d, -op_.clip)), hn::Set(d, op_.clip));
    const Activation& activation = op_.activations[which];
    if (activation.kind == Activation::Kind::tanh) return hyperbolic_tangent(d, x);
    return activate(d, x, activation);
  }

  // Computes the new state of one vector of units, beginning at `unit`. The sums of gate g begin at
  // sums[g * gate].
  void finish(F d, const float* sums, std::size_t gate, std::size_t unit, const float* gates,
              std::ptrdiff_t offset) const {
    switch (op_.kind) {
      case Recurrence::Kind::rnn:
        return store_first(d, function(d, 0, hn::LoadU(d, sums)),
                           step_.states.after + offset + unit, hidden_ - unit);
      case Recurrence::Kind::gru:
        return finish_gru(d, sums, gate, unit, gates, offset);
      case Recurrence::Kind::lstm:
        return finish_lstm(d, sums, gate, unit, offset);
    }
  }

  void finish_gru(F d, const float* sums, std::size_t gate, std::size_t unit, const float* gates,
                  std::ptrdiff_t offset) const {
    const std::size_t count = hidden_ - unit;
    const V before = load_first(d, step_.states.before + offset + unit, count);
    float* update = step_.states.cell + offset + unit;
    V z, h = hn::LoadU(d, sums);
    if (phase_ == 0) {
      z = function(d, 0, hn::LoadU(d, sums));
      const V r = function(d, 0, hn::LoadU(d, sums + gate));
      if (!op_.reset_after) {
        store_first(d, z, update, count);
        return store_first(d, hn::Mul(r, before), step_.states.reset + offset + unit, count);
      }
      const V from_input = load_first(d, gates + 2 * hidden_ + unit, count);
      h = hn::MulAdd(r, hn::LoadU(d, sums + 2 * gate), from_input);
    } else {
      z = load_first(d, update, count);
    }
    h = function(d, 1, h);
    const V after = hn::MulAdd(z, before, hn::Mul(hn::Sub(hn::Set(d, 1.0F), z), h));
    store_first(d, after, step_.states.after + offset + unit, count);
  }

  void finish_lstm(F d, const float* sums, std::size_t gate, std::size_t unit,
                   std::ptrdiff_t offset) const {
    const std::size_t count = hidden_ - unit;
    float* cell = step_.states.cell + offset + unit;
    V c = load_first(d, cell, count);
    const auto peep = [&](std::size_t which, V sum) HWY_ATTR {
      if (!op_.peepholes) return sum;
      return hn::MulAdd(hn::LoadU(d, step_.packed + places_.peephole(which) + unit), c, sum);
    };
    V i = hn::LoadU(d, sums), o = hn::LoadU(d, sums + gate), f = hn::LoadU(d, sums + 2 * gate);
    i = function(d, 0, peep(0, i));
    f = op_.input_forget ? hn::Sub(hn::Set(d, 1.0F), i) : function(d, 0, peep(2, f));
    c = hn::MulAdd(f, c, hn::Mul(i, function(d, 1, hn::LoadU(d, sums + 3 * gate))));
    o = function(d, 0, peep(1, o));
    store_first(d, c, cell, count);
    store_first(d, hn::Mul(o, function(d, 2, c)), step_.states.after + offset + unit, count);
  }

  const RecurrentStep& step_;
  const Recurrence& op_;
  const int32_t phase_;
  const RecurrentPhase shape_;
  const PackedPlaces places_;
  const std::size_t hidden_;
};

void step_blocks(const RecurrentStep& call, int32_t phase, Span blocks) {
  const Step step(call, phase);
  for (int32_t i = 0; i < blocks.size(); ++i)
    step.block(call.last_block_first ? blocks.end - 1 - i : blocks.begin + i);
}

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shingle::kernels {
HWY_EXPORT(step_blocks);

void recurrent_step(const RecurrentStep& step, int32_t phase, Span blocks) {
  assert(phase < recurrence_phases(step.op) && supported(step.op));
  HWY_DYNAMIC_DISPATCH(step_blocks)(step, phase, blocks);
}

bool supported(const Recurrence& op) {
  return std::all_of(op.activations.begin(), op.activations.end(), [](const Activation& each) {
    return each.kind == Activation::Kind::tanh || supported(each);
  });
}

int32_t recurrence_phases(const Recurrence& op) { return has_two_phases(op) ? 2 : 1; }

int32_t recurrence_blocks(const Recurrence& op, int32_t phase) {
  const int32_t each = phase_of(op, phase).vectors * vector_floats();
  return (op.hidden + each - 1) / each;
}

Span recurrence_units(const Recurrence& op, int32_t phase, Span blocks) {
  const int32_t each = phase_of(op, phase).vectors * vector_floats();
  return {std::min(blocks.begin * each, op.hidden), std::min(blocks.end * each, op.hidden)};
}

std::size_t recurrence_floats(const Recurrence& op) {
  return PackedPlaces(op, static_cast<std::size_t>(vector_floats())).all();
}

namespace {

void pack_block(const FloatView& weights, const Recurrence& op, const RecurrentPhase& phase,
                Span units, int32_t padded, float* to) {
  for (int32_t before = 0; before < op.hidden; ++before) {
    for (int32_t gate = phase.first_gate; gate < phase.first_gate + phase.gates; ++gate) {
      const int64_t first = int64_t{gate} * op.hidden + units.begin;
      for (int32_t i = 0; i < padded; ++i)
        *to++ = i < units.size() ? weights[(first + i) * op.hidden + before] : 0.0F;
    }
  }
}

void pack_vector(const Model& model, const std::optional<ConstantId>& constant, int64_t begin,
                 int32_t count, float* to) {
  for (int32_t i = 0; constant && i < count; ++i) to[i] = model.at(*constant)[begin + i];
}

}  // namespace

void pack_recurrence(const Model& model, const Recurrence& op, float* packed) {
  const int32_t lanes = vector_floats();
  const PackedPlaces places(op, static_cast<std::size_t>(lanes));
  for (int32_t phase = 0; phase < recurrence_phases(op); ++phase) {
    for (int32_t block = 0; block < recurrence_blocks(op, phase); ++block) {
      const Span units = recurrence_units(op, phase, {block, block + 1});
      pack_block(model.at(op.weights), op, phase_of(op, phase), units,
                 (units.size() + lanes - 1) / lanes * lanes,
                 packed + places.block(phase, static_cast<std::size_t>(units.begin)));
    }
  }
  std::fill(packed + places.state_bias(), packed + places.all(), 0.0F);
  pack_vector(model, op.state_bias, 0, op.hidden, packed + places.state_bias());
  for (int32_t which = 0; which < 3; ++which)
    pack_vector(model, op.peepholes, int64_t{which} * op.hidden, op.hidden,
                packed + places.peephole(static_cast<std::size_t>(which)));
}

}  // namespace shingle::kernels
#endif
