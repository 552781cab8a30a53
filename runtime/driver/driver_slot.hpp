// ComputeSlot: one worker that computes one tile at a time. It has an executor of its own for each
// model of its plans.
//
//   driver's thread   work(), start() ----> the slot's worker: TileBegun, computes, TileComputed
//   loader's worker   prepare(), forget_idle(), pack_again()
//
// The loader packs while the slot computes, even for the same model. They share only a list of
// pointers, and its lock is held only while pointers are copied.
#pragma once

#include <cassert>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/driver/clock.hpp"
#include "runtime/driver/driver_plan.hpp"

namespace shingle {

// One tile to compute. The views stay valid until TileComputed has been handled.
struct TileWork {
  std::shared_ptr<const PreparedPlan> plan;
  Compute order;
  std::vector<ConstTensorView> inputs;
  std::vector<TensorView> outputs;
};

// Called on the loader's worker.
using ExecutorMaker = std::function<std::unique_ptr<Executor>()>;

class ComputeSlot {
 public:
  // The first executor is for the first model; `another`, if there is one, makes those for further
  // models. `inbox` and `clock` must outlive the slot. The destructor waits for the tile that is
  // being computed. REQUIRES: `first` is not null.
  ComputeSlot(NodeId self, std::unique_ptr<Executor> first, ExecutorMaker another, Inbox& inbox,
              const Clock& clock, const WorkerMaker& make_worker);

  Executor::Memory memory() const;  // any thread

  // --- the driver's thread ---
  bool busy() const;
  TileWork& work() { return assert(!busy()), work_; }  // REQUIRES: !busy()
  // Checks so much of the weights between two tiles; pushes WeightsDamaged if they have changed.
  // REQUIRES: share is not negative.
  void check_weights(double share);
  // Computes what work() says: pushes its TileBegun, then its TileComputed. REQUIRES: !busy(); the
  // work has a plan, a tile of it, and a view for each of the tile's inputs and outputs.
  void start();

  // --- the loader's worker; none of them waits for a tile ---
  // An executor serves one model, and ends with the last plan of that model. The sentence names the
  // model that is served already if no other executor can be made. REQUIRES: not null.
  Status prepare(const std::shared_ptr<const PreparedPlan>& plan);
  // Forgets what was packed for plans that nobody holds any more.
  void forget_idle();
  // Packs the weights of all held plans again, on new executors. Tiles fail meanwhile.
  Status pack_again();

 private:
  struct Serving {
    struct Kept {
      std::weak_ptr<const PreparedPlan> plan;
      std::shared_ptr<const std::vector<TileProgram>> programs;
    };
    std::shared_ptr<const Model> model;  // null: none yet; outlives the executor
    std::vector<Kept> plans;             // the loader's worker's
    std::shared_ptr<Executor> executor;  // null while weights are packed again
  };
  struct InUse {
    std::shared_ptr<const Model> model;
    std::shared_ptr<Executor> executor;
  };
  bool do_one();
  TileComputed compute();
  void compute_on(Executor& executor, TileComputed& outcome);
  Status pack_for_one_tile(Executor& executor, const TileProgram& program);
  void check(double share);
  std::vector<InUse> executors() const;
  std::shared_ptr<Executor> executor_of(const Model& model) const;  // null: packed again
  std::shared_ptr<Executor> put(Serving& serving, std::shared_ptr<Executor> executor);
  Result<Serving*> serving(const std::shared_ptr<const Model>& model);

  const NodeId self_;
  const ExecutorMaker another_;
  Inbox& inbox_;
  const Clock& clock_;

  mutable std::mutex table_;
  // Changed by the loader's worker alone, under table_.
  std::vector<std::unique_ptr<Serving>> servings_;

  mutable std::mutex mutex_;
  bool busy_ = false;
  double share_to_check_ = 0.0;     // of the weights; 0: nothing is asked
  TileWork work_;                   // the worker's while busy_, else the driver's
  std::unique_ptr<Worker> worker_;  // last: it uses the rest
};

}  // namespace shingle
