// SoftErrors: what becomes of a network's outputs when one bit is flipped, as a particle or a worn
// memory cell flips it: in a weight as its kernel reads it, or in a map between two layers.
//
//   clean     input -> [layer] -> map -> [layer] -> map -> ... -> outputs          once per input
//   weight                ^ flipped here: that layer again, then whoever reads what changed
//   map                           ^ flipped here: whoever reads it again, and so on
//
// Layers are programs of their own, so that only those are computed again whose inputs changed. A
// layer's bits are the same that way and in any tile.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "devices/native/native_executor.hpp"

namespace shingle {

struct Flip {
  enum class Place : uint8_t { weight, map } place = Place::weight;
  LayerId layer;     // whose weight; whose output map
  int64_t word = 0;  // of the layer's weights as they are packed, of the map: which float32 ...
  int bit = 0;       // ... and which of its 32 bits, from the lowest
};

struct FlipOutcome {
  bool found_by_checksum = false;           // a look at the weights names the layer
  bool other_outputs = false;               // bits of the network's outputs differ
  std::vector<std::vector<float>> outputs;  // by model output, where they differ
};

class SoftErrors {
 public:
  // `model` must outlive it. The sentence names the layer that cannot run.
  static Result<SoftErrors> make(const Model& model, int threads);

  // The inputs of all flips from now on; computes what comes of them when nothing is flipped.
  Status take(WholeInputs inputs);
  const std::vector<std::vector<float>>& clean_outputs() const { return clean_outputs_; }

  // How many there are at that place; a layer may have no weights.
  int64_t words(Flip::Place place, LayerId layer) const;

  // REQUIRES: take() went well; the layer has such a word. All is as it was afterwards.
  Result<FlipOutcome> flip(const Flip& flip);

 private:
  using Values = std::vector<float>;

  SoftErrors(const Model& model, int threads);
  Status prepare();
  Status flip_weight(const Flip& flip, FlipOutcome& outcome);
  Status flip_map(const Flip& flip);
  Status compute(LayerId layer);
  Status follow(LayerId first);
  bool reads_a_change(LayerId layer) const;
  ConstTensorView view_of(TensorId tensor) const;
  std::vector<Values> outputs() const;
  void forget_changes();

  const Model* model_;
  std::unique_ptr<NativeExecutor> executor_;
  std::vector<TileProgram> programs_;          // by layer
  std::vector<std::span<std::byte>> weights_;  // by layer
  WholeInputs inputs_;
  std::vector<Values> clean_, now_;  // by tensor
  std::vector<bool> changed_;        // by tensor: now_ counts
  std::vector<Values> clean_outputs_;
};

}  // namespace shingle
