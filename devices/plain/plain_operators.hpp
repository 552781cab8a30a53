// Every operator as plain loops. The reference executor uses nothing else; the other executors use
// them for operators that their libraries do not have.
//
// Any box of a layer's output can be computed by itself and has the same bits as in the whole map,
// because each element is accumulated by itself in a fixed order.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "devices/executor/executor.hpp"
#include "partition/model/model.hpp"

namespace shingle {

struct Coordinate {
  int32_t y = 0, x = 0, c = 0;
};

// What a layer's loops need of the model, computed once.
struct PlainConstants {
  // (Transposed)Convolution: [group][kernel y][kernel x][input channel of the group][output channel
  // of the group], so that the innermost loop runs along outputs; bias by output channel.
  // Recurrence: [gate][hidden of the step before][hidden]; as bias the state's bias and three
  // peepholes, each [hidden], zeros where it has none.
  std::vector<float> weights, bias;
  // Operators that only move elements: output (y, x, c) is input moves[0][y] + moves[1][x] +
  // moves[2][c]; `whole_runs`: neighbours along c stay neighbours.
  std::array<std::vector<Coordinate>, 3> moves;
  bool whole_runs = false;

  int64_t bytes() const;
};

PlainConstants plain_constants(const Model& model, const Layer& layer);

struct PlainCall {
  const Model& model;
  const Layer& layer;
  const PlainConstants& constants;          // of this layer
  std::span<const ConstTensorView> inputs;  // each holds the layer's demand for `region`
  TensorView output;                        // holds `region`
  Region region;                            // not empty
  std::span<float> scratch{};               // plain_scratch_floats() of the layer, at least
};

// What a call works with beside maps.
int64_t plain_scratch_floats(const Layer& layer);

// Computes `call.region`, activation included. Allocates nothing but, in a Suppression, a number
// for each box that it keeps of one class.
void run_plain(const PlainCall& call);

// The operators one by one, without the activation.
void run_operator(const PlainCall& call, const Convolution& op);
void run_operator(const PlainCall& call, const TransposedConvolution& op);
void run_operator(const PlainCall& call, const Pooling& op);
void run_operator(const PlainCall& call, const Reduction& op);
void run_operator(const PlainCall& call, const Elementwise& op);
void run_operator(const PlainCall& call, const Binary& op);
void run_operator(const PlainCall& call, const Concat& op);
void run_operator(const PlainCall& call, const StridedSlice& op);
void run_operator(const PlainCall& call, const Gather& op);
void run_operator(const PlainCall& call, const Pad& op);
void run_operator(const PlainCall& call, const Resize& op);
void run_operator(const PlainCall& call, const Rearrange& op);
void run_operator(const PlainCall& call, const Softmax& op);
void run_operator(const PlainCall& call, const Convert& op);
void run_operator(const PlainCall& call, const MatrixProduct& op);
void run_operator(const PlainCall& call, const GridSample& op);
void run_operator(const PlainCall& call, const Order& op);
void run_operator(const PlainCall& call, const Take& op);
void run_operator(const PlainCall& call, const Scatter& op);
void run_operator(const PlainCall& call, const Suppression& op);
void run_operator(const PlainCall& call, const NonZero& op);
void run_operator(const PlainCall& call, const Recurrence& op);

}  // namespace shingle
