// NativeExecutor: runs tiles on the best kernel that there is for each layer: our own convolutions,
// XNNPACK's operators, or the plain loops that the reference uses too. Which one computes a layer
// changes no bit; the algorithm does, and is the plan's.
//
// A tile's pass goes depth first, through one arena:
//
//   window --convolution, pool--> [ a few rows ] --convolution--> [ a few rows ] --> ... --> output
//
// Each step computes a strip of rows as soon as the steps before it have made what it reads, and
// rows that nobody will read again give way: the high-resolution maps never exist whole.
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
  int threads = 1;  // of this executor's pool, the calling thread included; at least 1
  // Which kernels direct convolutions prefer. With XNNPACK's, steps compute all rows at once.
  // Winograd is always our own.
  enum class Kernels : uint8_t { own, xnnpack } kernels = Kernels::own;
  // How much more than the weights themselves those of Winograd layers may take, to be kept
  // transformed (PackingRoom). More gains nothing: what is kept streams from memory at four times
  // the size.
  int64_t transformed_bytes = int64_t{8} << 20;
  // What a pass's maps may take before memory counts more than time (PassOptions::most_bytes).
  int64_t map_bytes = int64_t{64} << 20;
  // Where packed weights are kept for the next start and mapped from; empty: nowhere.
  std::string packed_folder{};
  // Packed weights made ahead of time, looked for there first.
  CompiledFiles compiled{};
  // The file of KernelChoices, for own kernels; empty: ours compute whatever they can.
  std::string kernel_choices{};
  KernelChoices::Clock clock{};  // for their measurement; none: the machine's
};

class NativeExecutor final : public Executor {
 public:
  explicit NativeExecutor(NativeOptions options = {});
  ~NativeExecutor() override;

  std::string name() const override;  // "native" or "xnnpack"

  // "f32/" and a digest of the bits that the self-test's layers give: machines whose kernels round
  // alike share a class whatever their instruction sets and kernels. Ends in "unsound" where tiles
  // and whole maps differ. Worked out at the first call in a process.
  std::string arithmetic_class() const override;

  Status prepare(const Model& model, std::span<const TileProgram> programs) override;
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override;
  void forget(std::span<const TileProgram> programs) override;
  Status check_weights(double share) override;
  Granule granule(const Model& model, LayerId layer) const override;
  Memory memory() const override;

  // Bytes of maps that the largest prepared pass holds at once; its inputs and outputs are the
  // caller's.
  int64_t activation_bytes() const;
  size_t prepared() const;  // programs that it holds, each once

  // Layers of the prepared programs whose packed weights are all in the store: with it, nobody
  // reads the model's own. Ascending.
  std::vector<LayerId> layers_in_store() const;

  // Weights that were packed here, as the kernels read them: for whoever wants to know what becomes
  // of a flipped bit. Written to while nothing is computed, prepared or forgotten.
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
