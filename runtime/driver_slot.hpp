// ComputeSlot: one thread that computes one tile at a time with an executor of its own.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
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

class ComputeSlot {
 public:
  // `inbox` and `clock` must outlive the slot.
  ComputeSlot(std::unique_ptr<Executor> executor, Inbox& inbox, const Clock& clock);
  ~ComputeSlot();  // waits for the tile that is being computed

  Executor::Memory memory();  // waits for the tile that is being computed

  // --- the driver's thread ---
  bool busy() const;
  TileWork& work() { return work_; }  // REQUIRES: !busy()
  void start();                       // computes what work() says, then pushes its TileComputed

  // --- the loader's thread ---
  // An executor serves one model: a plan of another than the first one's is refused.
  Status prepare(const std::shared_ptr<const PreparedPlan>& plan);

 private:
  void run();
  TileComputed compute();

  std::shared_ptr<const Model> model_;  // of all that was prepared: it outlives the executor
  const std::unique_ptr<Executor> executor_;
  Inbox& inbox_;
  const Clock& clock_;

  std::mutex executing_;  // an executor prepares or computes, one at a time

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false, stopping_ = false;
  TileWork work_;  // the slot's thread's while busy_, else the driver's
  std::thread thread_;
};

}  // namespace shingle
