// RecurrentRunner: a recurrent layer on our own kernel. Threads share each step's hidden units, so
// that each keeps its part of the weights in its cache; where a step is too little work for that,
// they share the sequences.
#pragma once

#include "devices/kernels/recurrence.hpp"
#include "devices/layers/layer_runner.hpp"
#include "devices/threads/lockstep.hpp"
#include "devices/weights/weight_watch.hpp"

namespace shingle {

// Is it a recurrent layer, and has our kernel its activations?
bool recurs_natively(const Layer& layer);

// Memory of a runner: its packed weights, for as long as a plan is prepared; and the state of
// `sequences`, which all threads share while they compute.
// REQUIRES: recurs_natively().
int64_t packed_recurrence_bytes(const Layer& layer);
int64_t recurrent_state_bytes(const Layer& layer, int32_t sequences);

class RecurrentRunner final : public LayerRunner {
 public:
  // REQUIRES: recurs_natively(). The model and `watch` must outlive it. What it keeps is counted in
  // `account`. One pass at a time computes with it.
  RecurrentRunner(const Model& model, LayerId layer, int threads, MemoryAccount& account,
                  WeightWatch& watch);
  ~RecurrentRunner() override;

  bool takes_rings() const override { return true; }
  WorkNeeds needs(const Region& region, bool pool, int threads) const override;
  Status run(const LayerRun& run) override;

  std::span<std::byte> weights() { return {packed_.data(), bytes_}; }  // packed

 private:
  struct Shares;
  struct Part;

  Shares shares(const LayerRun& run) const;
  int32_t length(int32_t sequence) const;
  int32_t column(int32_t sequence, int32_t step) const;
  int32_t step_count(int32_t sequence, Span columns) const;
  float* vector(const LayerRun& run, int32_t sequence, int64_t which) const;
  void begin(const LayerRun& run, int32_t sequence) const;
  void compute(const LayerRun& run, const Part& part, int64_t time, ThreadScratch& scratch) const;
  void store(const LayerRun& run, int32_t sequence, int32_t step, Span units) const;
  void finish(const LayerRun& run) const;

  const Model& model_;
  const LayerId layer_;
  const Recurrence& op_;
  const int32_t steps_;  // of the map
  WeightWatch& watch_;
  AlignedBuffer packed_;
  size_t bytes_ = 0;
  Lockstep lockstep_;
};

}  // namespace shingle
