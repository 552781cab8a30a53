// SoftErrors: computes how a network's outputs change when one bit flips, as a particle or a worn
// memory cell can flip it: in a packed weight, or in a map between two layers.
//
//   clean     input -> [layer] -> map -> [layer] -> map -> ... -> outputs          once per input
//   weight                ^ flipped here: that layer again, then whoever reads what changed
//   map                           ^ flipped here: whoever reads it again, and so on
//
// Each layer is a program of its own, so that only layers whose inputs changed are computed again.
// The bits are the same as in any tile.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "devices/native/native_executor.hpp"

namespace shingle {

struct Flip {
  enum class Place : uint8_t { weight, map } place = Place::weight;
  LayerId layer;     // the layer with this weight or this output map
  int64_t word = 0;  // which float32 of the packed weights or of the map ...
  int bit = 0;       // ... and which of its 32 bits, from the lowest
};

struct FlipOutcome {
  bool found_by_checksum = false;           // check_weights() names the layer
  bool other_outputs = false;               // some bits of the network's outputs differ
  std::vector<std::vector<float>> outputs;  // by model output; only if they differ
};

class SoftErrors {
 public:
  // `model` must outlive it. The error names the layer that cannot run.
  static Result<SoftErrors> make(const Model& model, int threads);

  // Sets the inputs for all later flips and computes the outputs without a flip.
  Status take(WholeInputs inputs);
  const std::vector<std::vector<float>>& clean_outputs() const { return clean_outputs_; }

  // The number of words at that place; 0 if the layer has no weights.
  int64_t words(Flip::Place place, LayerId layer) const;

  // Flips a bit, computes the outputs and undoes the flip. REQUIRES: take() succeeded; the layer
  // has such a word.
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
  std::vector<bool> changed_;        // by tensor: its values are those in now_
  std::vector<Values> clean_outputs_;
};

}  // namespace shingle
