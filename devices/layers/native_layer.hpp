// NativeLayer: a convolution on our own kernels, for one span of its output channels: direct,
// Winograd or depthwise. The bits of a direct one are those of XNNPACK's on processors with fused
// multiply-adds; and of all, whatever the strip, the tile or the threads, the same.
//
// What follows the convolution may be computed with it, while its sums are in registers: a 2x2
// max-pool, or the addition of another map.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "devices/executor/rows.hpp"
#include "devices/executor/workspace.hpp"
#include "devices/kernels/direct.hpp"
#include "devices/kernels/winograd.hpp"
#include "devices/layers/kernel_blocks.hpp"
#include "devices/layers/layer_runner.hpp"
#include "devices/threads/parallel.hpp"
#include "devices/weights/packed_weights.hpp"

namespace shingle {

// Have our kernels this layer?
bool runs_natively(const Model& model, const Layer& layer, Algorithm algorithm, Span channels);

// Does XNNPACK give other bits (depthwise, but for some filters), or none (Winograd)? REQUIRES:
// runs_natively.
bool bits_are_ours(const Model& model, const Layer& layer, Algorithm algorithm);

// May the kernels apply it before they store? (The others are applied to the stored rows.)
bool is_light(const Activation& activation);

// May a 2x2 max-pool be taken in the kernel, or another map added?
bool pools_natively(const Model& model, const Layer& layer);
bool adds_natively(const Layer& layer);

// How this machine's kernels lay weights out: packed ones of one machine serve all with the same.
std::string packed_layout();

// Bytes that may still go into keeping Winograd's weights transformed, four times as large. Layers
// take of it in the order in which they are made: those at a network's front have the largest maps
// and the smallest weights. The others transform theirs whenever they compute.
struct PackingRoom {
  std::atomic<int64_t> bytes{0};
};

struct NativeRun {
  InputMap input;
  Region held;  // what of the input holds values; the rest of what the layer reads is padding
  OutputMap output;
  Region region;  // to compute, of the output map: the pooled one if `pool`
  bool pool = false;
  std::optional<InputMap> added;  // holds `region`
  Activation activation;          // after the sum, if there is one
  bool added_after_activation = false;
  std::vector<std::unique_ptr<ThreadScratch>>& scratch;  // one per thread, reserved
  const ThreadPool& pool_of_threads;
};

class NativeLayer {
 public:
  // REQUIRES: runs_natively. What it keeps is counted in `account`.
  NativeLayer(const Model& model, LayerId layer, Algorithm algorithm, Span channels,
              PackingRoom& room, const PackedStore& store, MemoryAccount& account);

  // Packs nothing and cannot run: it says what one that runs keeps.
  static NativeLayer unpacked(const Model& model, LayerId layer, Algorithm algorithm, Span channels,
                              PackingRoom& room) {
    return NativeLayer(model, layer, algorithm, channels, room);
  }
  int64_t packed_bytes() const;
  int64_t scratch_bytes(const Region& region, bool pool) const;  // of each thread

  ThreadNeeds needs(const Region& region, bool pool) const;
  void reserve(const Region& region, bool pool, ThreadScratch& scratch) const;
  void run(const NativeRun& run) const;

  // One where sharing is not worth it. Panels are those of the kernels.
  std::vector<LayerPart> parts(const Region& region, bool pool, int32_t threads) const;
  // On the calling thread. REQUIRES: `part` is one of parts(run.region, ...); `run.held` need hold
  // no more than this part reads.
  void run_part(const NativeRun& run, const LayerPart& part, ThreadScratch& scratch) const;
  int64_t operations(const Region& region, bool pool) const;

  Algorithm algorithm() const { return algorithm_; }

  // Ways to cut it that differ where `region` is computed, the usual one first; and the way that
  // run(), reserve() and scratch_bytes() take from now on.
  std::vector<KernelBlocks> ways_to_cut(const Region& region) const;
  void cut(const KernelBlocks& blocks) { blocks_ = blocks; }
  bool keeps_transformed() const { return transformed_; }
  int64_t room_taken() const {
    return room_taken_;
  }  // of the PackingRoom: whoever ends it gives it back

  // False where neither the model nor the store had the weights: it cannot run.
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
  void pack(const Model& model, const Convolution& op, float* packed) const;
  int32_t panels() const;
  Shares shares(const Region& region, bool pool, int32_t threads) const;
  LayerPart part(const Region& region, const Shares& shares, int32_t index) const;
  Span channels_of(Span panels) const;
  kernels::WinogradBlocking blocking(const Region& region, bool pool) const;
  int32_t batch() const { return blocks_.batch > 0 ? blocks_.batch : kernels::usual_batch; }

  Algorithm algorithm_;
  bool depthwise_ = false;
  Span channels_;  // of output
  Span inputs_;    // channels read
  kernels::FilterShape filter_;
  Window y_, x_;
  bool transformed_ = false;  // packed_ holds Winograd's transformed weights
  int64_t room_taken_ = 0;
  KernelBlocks blocks_;
  std::unique_ptr<PackedWeights> packed_;
};

}  // namespace shingle
