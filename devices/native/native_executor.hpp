// NativeExecutor: runs each layer of a tile on the best kernel for it: our own convolutions,
// XNNPACK's operators, or the plain loops of the reference executor. The choice of the kernel
// changes no bit. The algorithm does; so it is part of the plan.
//
// A tile is computed depth first, in one arena:
//
//   window --convolution, pool--> [ a few rows ] --convolution--> [ a few rows ] --> ... --> output
//
// Each step computes a strip of rows as soon as its input rows exist. Rows that nobody will read
// again are overwritten. So the high-resolution maps are never stored whole.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "devices/executor/executor.hpp"
#include "devices/layers/kernel_choice.hpp"
#include "devices/pass/memory_plan.hpp"
#include "devices/weights/compiled_file.hpp"

namespace shingle {

struct NativeOptions {
  int threads = 1;  // of this executor's pool, including the calling thread; at least 1
  // The preferred kernels for direct convolutions. With XNNPACK's, steps compute all rows at once.
  // Winograd kernels are always our own.
  enum class Kernels : uint8_t { own, xnnpack } kernels = Kernels::own;
  // How many more bytes Winograd layers may use to keep their weights transformed (PackingRoom). A
  // larger value gains nothing: transformed weights have four times the size and must be read from
  // memory.
  int64_t transformed_bytes = int64_t{8} << 20;
  // If a pass's maps need more than this, it saves memory at the cost of time
  // (PassOptions::max_bytes).
  int64_t map_bytes = int64_t{64} << 20;
  // The folder of PackedStore; empty: packed weights are not stored.
  std::string packed_folder{};
  // Compiled files, whose packed weights are looked for first.
  CompiledFiles compiled{};
  // The file of KernelChoices, for our own kernels; empty: they compute everything they can.
  std::string kernel_choices{};
  KernelChoices::Clock clock{};  // for measuring kernels; empty: the machine's
};

class NativeExecutor final : public Executor {
 public:
  explicit NativeExecutor(NativeOptions options = {});
  ~NativeExecutor() override;

  std::string name() const override;  // "native" or "xnnpack"

  // "f32/" and a digest of the bits of the self-test's layers. Machines that round in the same way
  // share a class, whatever their instruction sets and kernels. Ends in "unsound" if tiles and
  // whole maps differ. Computed at the first call in a process.
  std::string arithmetic_class() const override;

  Status prepare(const Model& model, std::span<const TileProgram> programs) override;
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override;
  void forget(std::span<const TileProgram> programs) override;
  Status check_weights(double share) override;
  Granule granule(const Model& model, LayerId layer) const override;
  Memory memory() const override;

  // Bytes of maps that the largest prepared pass holds at once, without its inputs and outputs.
  int64_t activation_bytes() const;
  size_t prepared() const;  // the number of programs that it holds

  // Layers of the prepared programs whose packed weights are all in the store. With this store
  // nobody reads the model's own weights of these layers. Ascending.
  std::vector<LayerId> layers_in_store() const;

  // The weights that this executor packed, for callers that flip bits (measure/soft_errors.hpp).
  // They may be written to only while nothing is computed, prepared or forgotten.
  struct Weights {
    LayerId layer;
    std::span<std::byte> bytes;
  };
  std::vector<Weights> weights();

  // How the pass of a prepared program uses its arena. REQUIRES: prepared for it.
  MemoryPlan memory_plan(const TileProgram& program) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shingle
