// Steps of recurrent layers: a small matrix product of the states with weights in panels, then the
// gates of the same units in registers.
//
// What a gate gets is summed in one accumulator: it starts with the input's part (or the state's
// bias); one fused multiply-add follows for each hidden unit of the step before, in order. Blocks,
// the number of sequences and threads change no bit.
//
// A step has phases, one after the other. Most layers have one; a GRU that resets before the
// product has two, because its last gate needs the reset states of all units. A phase is computed
// in blocks of units, in any order.
#pragma once

#include <span>

#include "partition/model/model.hpp"

namespace shingle::kernels {

// Has the kernel the layer's activations? Those of supported(), and tanh.
bool supported(const Recurrence& op);

int32_t recurrence_phases(const Recurrence& op);
int32_t recurrence_blocks(const Recurrence& op, int32_t phase);
Span recurrence_units(const Recurrence& op, int32_t phase, Span blocks);

std::size_t recurrence_floats(const Recurrence& op);  // packed
// REQUIRES: packed holds recurrence_floats().
void pack_recurrence(const Model& model, const Recurrence& op, float* packed);

// What sequences keep from step to step: of each some vectors of `hidden` floats, `sequence` floats
// after those of the sequence before. None overlap.
struct RecurrentStates {
  const float* before = nullptr;  // the state that the step finds
  float* after = nullptr;         // the state that it leaves
  float* cell = nullptr;          // lstm: changed in place. gru: between phases
  float* reset = nullptr;         // gru: between phases
  std::ptrdiff_t sequence = 0;
};

struct RecurrentStep {
  const Recurrence& op;
  const float* packed = nullptr;
  std::span<const float* const> gates{};  // of each sequence; null: this step is not computed of it
  RecurrentStates states{};
  bool last_block_first = false;  // which weights are found in the cache; no bits
};

// Does not allocate. Threads may share everything but the units that they write.
void recurrent_step(const RecurrentStep& step, int32_t phase, Span blocks);

}  // namespace shingle::kernels
