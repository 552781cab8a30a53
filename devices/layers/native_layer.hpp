// NativeLayer: a convolution on our own kernels (direct, Winograd or depthwise), or a transposed
// one in phases on the same, for one span of its output channels. Strips, tiles and threads change
// no bit. On processors with fused multiply-adds a direct convolution has the same bits as
// XNNPACK's.
//
// A 2x2 max-pool, or the addition of another map, may be computed together with the convolution
// while its sums are in registers.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "devices/executor/rows.hpp"
#include "devices/executor/weighted_window.hpp"
#include "devices/executor/workspace.hpp"
#include "devices/kernels/transposed.hpp"
#include "devices/kernels/winograd.hpp"
#include "devices/layers/kernel_blocks.hpp"
#include "devices/layers/layer_runner.hpp"
#include "devices/threads/parallel.hpp"
#include "devices/weights/packed_weights.hpp"

namespace shingle {

// Can our kernels compute this layer?
bool runs_natively(const Model& model, const Layer& layer, Algorithm algorithm, Span channels);

// Has every channel a filter of its own? One channel in and out counts too: XNNPACK sees it so.
bool is_depthwise(const Model& model, const Layer& layer);

// Do only our kernels give these bits? XNNPACK has no Winograd, gives other bits for most depthwise
// filters, and is not asked for transposed convolutions. REQUIRES: runs_natively().
bool bits_are_ours(const Model& model, const Layer& layer, Algorithm algorithm);

// Can the kernel also compute a 2x2 max-pool, or add another map? Of activations that the kernels
// have not, which are applied to the stored rows, neither.
bool pools_natively(const Model& model, const Layer& layer);
bool adds_natively(const Layer& layer);

// The layout of packed weights on this machine. Machines with equal layouts can use each other's
// packed weights.
std::string packed_layout();

// How many bytes may still be used to keep Winograd weights transformed, which makes them four
// times as large. Layers take from it in the order in which they are made: layers at a network's
// front have the largest maps and the smallest weights. A layer that gets nothing transforms its
// weights whenever it computes.
struct PackingRoom {
  std::atomic<int64_t> bytes{0};
};

struct NativeRun {
  InputMap input;
  Region held;  // the part of the input that holds values; the rest is padding
  OutputMap output;
  Region region;  // to compute, in the output map (the pooled one if `pool`)
  bool pool = false;
  std::optional<InputMap> added;  // holds `region`
  Activation activation;          // after the sum, if there is one
  bool added_after_activation = false;
  std::vector<std::unique_ptr<ThreadScratch>>& scratch;  // one per thread, reserved
  const ThreadPool& pool_of_threads;
};

class NativeLayer {
 public:
  // REQUIRES: runs_natively(). Its memory is counted in `account`.
  NativeLayer(const Model& model, LayerId layer, Algorithm algorithm, Span channels,
              PackingRoom& room, const PackedStore& store, MemoryAccount& account);

  // Packs nothing and cannot run; only tells how much memory a layer that runs would keep.
  static NativeLayer unpacked(const Model& model, LayerId layer, Algorithm algorithm, Span channels,
                              PackingRoom& room) {
    return NativeLayer(model, layer, algorithm, channels, room);
  }
  int64_t packed_bytes() const;
  int64_t scratch_bytes(const Region& region, bool pool) const;  // of each thread

  ThreadNeeds needs(const Region& region, bool pool) const;
  void reserve(const Region& region, bool pool, ThreadScratch& scratch) const;
  void run(const NativeRun& run) const;

  // As those of PartRunner. Panels are numbered as in the kernels.
  std::vector<LayerPart> parts(const Region& region, bool pool, int32_t threads) const;
  bool divides(const Region& part, bool pool) const;
  void run_part(const NativeRun& run, const LayerPart& part, ThreadScratch& scratch) const;
  int64_t operations(const Region& region, bool pool) const;

  Algorithm algorithm() const { return algorithm_; }

  // The different ways to cut the layer when `region` is computed, the default first. cut() sets
  // the way that run(), reserve() and scratch_bytes() use from now on.
  std::vector<KernelBlocks> ways_to_cut(const Region& region) const;
  void cut(const KernelBlocks& blocks) { blocks_ = blocks; }
  bool keeps_transformed() const { return transformed_; }
  // Bytes of the PackingRoom; the layer's owner gives them back.
  int64_t room_taken() const { return room_taken_; }

  // False if neither the model nor the store had the weights; then it cannot run.
  bool has_weights() const { return packed_->floats() != nullptr; }
  // Does the store have its packed weights?
  bool is_stored() const { return packed_->is_stored(); }
  const PackedWeights& weights() const { return *packed_; }
  PackedWeights& weights() { return *packed_; }

 private:
  struct Shares;

  NativeLayer(const Model& model, LayerId layer, Algorithm algorithm, Span channels,
              PackingRoom& room);
  void choose_form(PackingRoom& room);
  bool is_worth_a_file() const;
  Hash name(const Model& model, LayerId layer) const;
  size_t packed_floats() const;
  void pack(const Model& model, const WeightedWindow& op, float* packed) const;
  void pack_transposed(const Model& model, const FloatView& weights, std::span<const float> bias,
                       float* packed) const;
  int32_t panels() const;
  Shares shares(const Region& region, bool pool, int32_t threads) const;
  LayerPart part(const Region& region, const Shares& shares, int32_t index) const;
  Span channels_of(Span panels) const;
  kernels::PhasedConvolution phased() const;
  void convolve(const NativeRun& run, const LayerPart& part, const kernels::InputRows& input,
                const kernels::OutputRows& output, const kernels::Epilogue& epilogue,
                float* scratch) const;
  kernels::WinogradBlocking blocking(const Region& region, bool pool) const;
  int32_t batch() const { return blocks_.batch > 0 ? blocks_.batch : kernels::usual_batch; }

  Algorithm algorithm_;
  bool depthwise_ = false, in_phases_ = false;
  Span channels_;  // output channels
  kernels::FilterShape filter_;
  Window y_, x_;
  bool transformed_ = false;  // packed_ holds Winograd's transformed weights
  int64_t room_taken_ = 0;
  KernelBlocks blocks_;
  std::unique_ptr<PackedWeights> packed_;
};

}  // namespace shingle
