// Executor: how one machine computes a tile. One of the four seams.
//
// Thread rule: compute() and check_weights() are called from one thread at a time, prepare() and
// forget() from any, also while another computes: a tile never waits for weights that are packed
// for others. An executor may use threads of its own inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "partition/plan/program.hpp"
#include "partition/search/planner.hpp"

namespace shingle {

// A window on memory that holds `region` of a tensor, dense in (y, x, c) order; what is in it may
// be read (written) anywhere within `region`. Aligned to 4 bytes, 64 where the caller can. Owned by
// the caller.
struct ConstTensorView {
  const std::byte* data = nullptr;
  Region region;
  ElementType type = ElementType::f32;
};
struct TensorView {
  std::byte* data = nullptr;
  Region region;
  ElementType type = ElementType::f32;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // "reference", "native"; and the class within which equal inputs give equal bits, e.g.
  // "f32/1f0c..".
  virtual std::string name() const = 0;
  virtual std::string arithmetic_class() const = 0;

  // Packs what the programs need of the model's weights, or nothing at all. May be called again for
  // further programs of the same model, and for the same ones. `model` must outlive the executor.
  // The sentence names the layer that it cannot run, or a file that is not what it was. Where
  // memory is short it throws std::bad_alloc.
  virtual Status prepare(const Model& model, std::span<const TileProgram> programs) = 0;

  // What was prepared for these programs is not needed any more: packed weights go with the last
  // program that needs them, a program when it was forgotten as often as it was prepared. An
  // executor that says nothing else holds nothing.
  virtual void forget(std::span<const TileProgram> /*programs*/) {}

  // Runs one tile. inputs[i] holds at least program.inputs[i].region of that tensor; writes exactly
  // program.outputs[i].region into outputs[i], which holds at least that. REQUIRES: prepared for
  // this program. Does not throw; an error is a sentence.
  virtual Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                         std::span<const TensorView> outputs) = 0;

  // Looks whether weights that prepare() packed are still what it left: at so much of them (1:
  // all), where the last call ended. The sentence names the layer whose are not. An executor that
  // says nothing else keeps none.
  virtual Status check_weights(double /*share*/) { return success(); }

  // Tile borders of a layer's output should lie on multiples of this, or work is wasted (never
  // bits).
  virtual Granule granule(const Model& model, LayerId layer) const = 0;

  struct Memory {
    int64_t packed_bytes = 0;   // weights as kernels want them
    int64_t scratch_bytes = 0;  // buffers kept between calls
    int64_t peak_bytes = 0;     // most ever held at once, packed included
  };
  virtual Memory memory() const = 0;
};

}  // namespace shingle
