// ComputeSlot: one worker that computes one tile at a time, with an executor of its own for each
// model that any of its plans is of.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/driver_plan.hpp"

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
  // The first executor is for the first model; `another`, if there is one, for those that come
  // while it serves. `inbox` and `clock` must outlive the slot. Its end waits for the tile that is
  // being computed.
  ComputeSlot(NodeId self, std::unique_ptr<Executor> first, ExecutorMaker another, Inbox& inbox,
              const Clock& clock, const WorkerMaker& make_worker);

  Executor::Memory memory();  // waits for the tile that is being computed

  // --- the driver's thread ---
  bool busy() const;
  TileWork& work() { return work_; }  // REQUIRES: !busy()
  // Between two tiles; pushes WeightsDamaged if they have changed.
  void check_weights(double share);
  void start();  // computes what work() says, then pushes its TileComputed

  // --- the loader's worker ---
  // An executor serves one model, and is gone with the last of its plans. The sentence names the
  // model that is in the way where no other executor can be made.
  Status prepare(const std::shared_ptr<const PreparedPlan>& plan);
  // The same for all plans that are held, on executors made anew.
  Status pack_again();

 private:
  struct Serving {
    std::shared_ptr<const Model> model;  // null: none yet; outlives the executor
    std::vector<std::weak_ptr<const PreparedPlan>> plans;
    std::unique_ptr<Executor> executor;
  };
  bool do_one();
  TileComputed compute();
  void check(double share);
  void dismiss_idle();
  Result<Serving*> serving(const std::shared_ptr<const Model>& model);

  const NodeId self_;
  const ExecutorMaker another_;
  std::vector<Serving> servings_;  // under executing_
  Inbox& inbox_;
  const Clock& clock_;

  std::mutex executing_;  // an executor prepares or computes, one at a time

  mutable std::mutex mutex_;
  bool busy_ = false;
  double share_to_check_ = 0.0;     // of the weights; 0: nothing is asked
  TileWork work_;                   // the worker's while busy_, else the driver's
  std::unique_ptr<Worker> worker_;  // last: it uses the rest
};

}  // namespace shingle
