// Executor: how one machine computes a tile. One of the four seams.
//
// Thread rule: one thread at a time calls compute() and check_weights(). Any thread may call
// prepare() and forget(), also while another one computes: a tile never waits until weights for
// others are packed. An executor may use threads of its own inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "partition/plan/program.hpp"
#include "partition/search/planner.hpp"

namespace shingle {

// A view of memory that holds `region` of a tensor, dense in (y, x, c) order. Every element within
// `region` may be read (written). Aligned to 4 bytes, to 64 where the caller can. The caller owns
// the memory.
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

  // The name: "reference", "native". The arithmetic class, within which equal inputs give equal
  // bits: "f32/1f0c..".
  virtual std::string name() const = 0;
  virtual std::string arithmetic_class() const = 0;

  // Packs the weights that the programs need; an executor may also pack nothing. May be called
  // again for further programs of the same model, and for the same programs. `model` must outlive
  // the executor. The error names the layer that cannot run, or a file that has changed. Throws
  // std::bad_alloc if memory is short.
  virtual Status prepare(const Model& model, std::span<const TileProgram> programs) = 0;

  // These programs are not needed any more. Packed weights are freed with the last program that
  // needs them; a program is freed when it was forgotten as often as it was prepared. The default
  // is for executors that hold nothing.
  virtual void forget(std::span<const TileProgram> /*programs*/) {}

  // Runs one tile. inputs[i] holds at least program.inputs[i].region of its tensor. Writes exactly
  // program.outputs[i].region into outputs[i], which holds at least that. REQUIRES: prepared for
  // this program. Does not throw.
  virtual Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                         std::span<const TensorView> outputs) = 0;

  // Checks whether the weights that prepare() packed are unchanged. Each call checks this share of
  // them (1: all) and goes on where the last call ended. The error names the layer whose weights
  // have changed. The default is for executors that keep no weights.
  virtual Status check_weights(double /*share*/) { return success(); }

  // The borders of a layer's tiles should lie on multiples of this; otherwise some work is done
  // twice. The bits are the same.
  virtual Granule granule(const Model& model, LayerId layer) const = 0;

  struct Memory {
    int64_t packed_bytes = 0;   // weights in the layout of the kernels
    int64_t scratch_bytes = 0;  // buffers kept between calls
    int64_t peak_bytes = 0;     // the most that was ever held at once, packed weights included
  };
  virtual Memory memory() const = 0;
};

}  // namespace shingle
