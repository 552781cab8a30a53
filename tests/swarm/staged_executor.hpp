// StagedExecutor: the reference executor on a machine of the swarm. It takes virtual time, packs
// slowly, hangs, fails and runs out of memory as its machine's nature says; what it computes is
// right.
#pragma once

#include "devices/native/reference.hpp"
#include "tests/swarm/stage.hpp"

namespace shingle::swarm {

// What a machine is like, and what befalls it just now.
struct Nature {
  double ns_per_mac = 20.0;
  Duration packing_per_tile = std::chrono::microseconds(50);
  double slowness = 1.0;
  bool stalls = false;         // no tile ends
  bool packing_hangs = false;  // no packing ends
  bool cannot_pack = false;    // an error that has a sentence
  bool breaks = false;         // no tile comes out
  bool spoils = false;         // what it computes
  bool has_no_memory = false;  // whoever asks for some gets std::bad_alloc
  bool may_hold_no_more = false;
  bool has_lost_its_models = false;
  bool damages_weights = false;  // of the next executor that looks at them

  int32_t executors = 0;  // that there are
  int64_t programs = 0;   // that they keep packed
};

class StagedExecutor final : public Executor {
 public:
  StagedExecutor(Stage& stage, Nature& nature);
  ~StagedExecutor() override;

  std::string name() const override { return "staged"; }
  std::string arithmetic_class() const override { return "reference"; }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override;
  void forget(std::span<const TileProgram> programs) override;
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override;
  Status check_weights(double share) override;
  Granule granule(const Model&, LayerId) const override { return {}; }
  Memory memory() const override { return reference_.memory(); }

 private:
  void take(double nanoseconds);

  Stage& stage_;
  Nature& nature_;
  ReferenceExecutor reference_;
  const Model* model_ = nullptr;
  int64_t programs_ = 0;  // kept packed
  bool damaged_ = false;
};

}  // namespace shingle::swarm
