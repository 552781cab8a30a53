// StagedExecutor: the reference executor on a machine of the swarm. It takes virtual time. As the
// machine's `Nature` says, it packs slowly, hangs, fails, computes wrong results or runs out of
// memory.
#pragma once

#include "devices/native/reference.hpp"
#include "tests/swarm/stage.hpp"

namespace shingle::swarm {

// The properties of a machine, and its faults at the moment.
struct Nature {
  double ns_per_mac = 20.0;
  Duration packing_per_tile = std::chrono::microseconds(50);
  double slowness = 1.0;
  bool stalls = false;         // no tile ends
  bool packing_hangs = false;  // no packing ends
  bool cannot_pack = false;    // packing fails with an error
  bool breaks = false;         // each tile fails with an error
  bool spoils = false;         // each tile's result is wrong
  bool has_no_memory = false;  // allocations throw std::bad_alloc
  bool may_hold_no_more = false;
  bool has_lost_its_models = false;
  bool damages_weights = false;  // the next check of weights finds them damaged

  int32_t executors = 0;  // number of executors that exist
  int64_t programs = 0;   // number of programs that they keep packed
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
