// What a recurrent node says of all its directions, and the parts of its translation.
#pragma once

#include "partition/model/shape.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

struct RecurrentLayout {
  Recurrence::Kind kind;
  bool batch_first = false;
  int64_t directions = 1, steps = 0, batch = 0, hidden = 0;
  bool backward = false;  // the first direction

  int64_t gates() const { return gates_of(kind); }
};

// The tensor of one direction's first state, as a Recurrence takes it: rows are sequences; of an
// LSTM the cell follows the state. `inputs`: the node's inputs of the state and, for an LSTM, the
// cell. None: the node has neither.
std::optional<TensorId> first_state(Node& node, const RecurrentLayout& all, int64_t direction,
                                    std::span<const size_t> inputs);

// Sets Y, Y_h and (of an LSTM) Y_c, those that the file names. `directions`: the maps of all
// states. `lengths`: of sequences shorter than the input, else empty.
void set_outputs(Node& node, const RecurrentLayout& all, const std::vector<Box>& directions,
                 const std::vector<int32_t>& lengths);

}  // namespace shingle::onnx
