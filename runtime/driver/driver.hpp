// Driver: the interpreter of a Node in real time. It owns the node, its canvases, its compute slots
// and its plan loader, and runs the loop of runtime/node/node.hpp on one thread:
//
//   camera ----- submit() --.                                  .--> Transport::send (pieces written
//   sockets --- messages ---+--> Inbox --> Node::step --> actions    straight into its buffer)
//   slots -- TileComputed --+       the driver's thread        +--> compute slots
//   loader --- PlanLoaded --'                                  '--> on_deliver, on_report
//
// Threads share only the Inbox. In a steady state nothing throws, and canvases, work orders and
// action lists are reused.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "runtime/driver/canvas.hpp"
#include "runtime/driver/clock.hpp"
#include "runtime/driver/driver_plan.hpp"
#include "runtime/driver/driver_slot.hpp"
#include "runtime/driver/inbox.hpp"
#include "runtime/driver/transport.hpp"
#include "runtime/node/node.hpp"
#include "runtime/protocol/trace.hpp"

namespace shingle {

// A model output of a delivered frame. The view is valid during the callback.
struct Output {
  TensorId tensor;
  ConstTensorView view;
};

struct DriverOptions {
  // compute_slots and (where there are executors) arithmetic_class are set from the executors.
  NodeConfig node;
  ModelFinder find_model{};
  PlanJudge judge_plan{};
  // Makes executors for further models that are served at the same time; none: one model only.
  ExecutorMaker another_executor{};
  Spares canvas_spares = Spares::kept;
  WorkerMaker make_worker = own_thread;  // one for each compute slot, one to load plans
  // Called on the driver's thread; they must not throw, block for long, or call stop().
  std::function<void(const FrameKey&, std::span<const Output>)>
      on_deliver{};  // by tensor, ascending
  std::function<void(const Report&)> on_report{};
  std::function<void(const TraceEvent&)> on_trace{};  // none: nothing is traced
};

class Driver {
 public:
  // One compute slot per executor. `inbox`, `transport` and `clock` must outlive the driver.
  // REQUIRES: no executor is null; find_model can be called.
  Driver(DriverOptions options, std::vector<std::unique_ptr<Executor>> executors, Inbox& inbox,
         Transport& transport, const Clock& clock);
  ~Driver();  // stops

  // Begins to run the loop on a thread of its own. REQUIRES: called once.
  void start();
  // Instead of start(): one turn of the loop on the caller's thread. Wakes the node if it is time,
  // then waits for one item until `longest` has passed or wakes_at() has come, and handles it.
  // False: no item came. REQUIRES: longest is not negative.
  bool turn(Duration longest);
  // When the node must be woken if no item comes before; none: never.
  std::optional<Time> wakes_at() const { return wake_at_; }
  // Ends the loop, after what is being computed or loaded. Closes the inbox. REQUIRES: not called
  // on the driver's thread.
  void stop();

  // --- any thread ---
  // Offers the plan to every member, in a large cluster to its homes and some spares.
  // REQUIRES: `hash` is the plan's.
  void propose(const PlanHash& hash, const Plan& plan);
  // No further frame will be submitted for it.
  void withdraw(const PlanHash& plan);
  // A frame on a plan that was proposed. None if the driver was stopped or has not yet looked at
  // the last most_unseen_frames() of them. Inputs that are not the model's are reported as a frame
  // that was dropped.
  std::optional<FrameKey> submit(const PlanHash& plan, FrameInputs inputs, Duration time_left);
  // As many frames as the node takes at once, opened and waiting; at least 16.
  size_t most_unseen_frames() const;
  // How often the loop has gone round; at least once a second unless a callback blocks it.
  uint64_t turns() const { return turns_; }

  // --- the driver's thread (in a callback), or once stopped ---
  const NodeCounters& counters() const { return node_.counters(); }
  const Node& node() const { return node_; }
  const Canvases& canvases() const { return canvases_; }
  Executor::Memory executor_memory() const;  // the sum over the slots; waits for what computes

 private:
  struct Step {  // what belongs to the current event; kept, so that no step allocates
    Actions actions;
    std::vector<Output> delivered;
    std::span<const std::byte> payload;
  };
  struct Submissions {
    std::mutex mutex;  // frame numbers reach the inbox in ascending order
    uint64_t next_frame = 1;
    std::atomic<size_t> unseen{0};  // frames that are in the inbox
  };
  void handle(Item& item);
  void step(const Event& event);
  bool adopt(const Item& item);
  void drop(const FrameCaptured& captured, std::string why);
  void trace_arrival(const Event& event);
  void trace(TraceEvent event);  // REQUIRES: options_.on_trace
  Status pack(const std::shared_ptr<const PreparedPlan>& plan);
  Status pack_again();

  void carry_out(const Send& send);
  void carry_out(const Paste& paste);
  void carry_out(const Compute& compute);
  void carry_out(const Release& release);
  void carry_out(const ReleaseAll& release);
  void carry_out(const Deliver& deliver);
  void carry_out(const LoadPlan& load);
  void carry_out(const CheckWeights& check);
  void carry_out(const PackAgain& order);
  void carry_out(const Report& report);
  void carry_out(const WakeAt& wake);

  std::shared_ptr<const PreparedPlan> plan(const PlanHash& hash) const;  // null if not held
  TensorView open(const PreparedPlan& plan, const CanvasKey& key);
  bool fills(const PreparedPlan& prepared, const Paste& paste) const;

  DriverOptions options_;
  Inbox& inbox_;
  Transport& transport_;
  const Clock& clock_;
  Node node_;
  Canvases canvases_;
  Step step_;
  std::optional<Time> wake_at_ = Time::min();  // a new node is woken at once
  // The node holds them for as long as it may use them.
  std::map<PlanHash, std::weak_ptr<const PreparedPlan>> plans_;

  Submissions submissions_;
  std::atomic<uint64_t> turns_{0};

  std::vector<std::unique_ptr<ComputeSlot>> slots_;
  Executor::Memory last_memory_;        // of slots that are gone
  std::unique_ptr<PlanLoader> loader_;  // uses the slots: ends before them
  std::thread thread_;
};

}  // namespace shingle
