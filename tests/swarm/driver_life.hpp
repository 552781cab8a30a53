// Life: one process of the swarm: the real Driver with its Inbox, Outbox, slots, loader and
// canvases, and an owner's logic where it owns frames. The stage turns its loop and its workers.
#pragma once

#include "tests/swarm/staged_executor.hpp"
#include "tests/swarm/staged_stream.hpp"
#include "tests/swarm/virtual_wires.hpp"

namespace shingle::swarm {

struct MachineSpec {
  NodeConfig node;
  size_t slots = 1;
  InboxLimits inbox{};
  Duration clock_offset{};  // what its clock is ahead of the others'
  std::vector<std::shared_ptr<const Model>> models{};
  std::optional<StreamSpec> stream{};
};

// What the judge is told.
struct LifeSees {
  std::function<void(const FrameKey&)> captured;
  std::function<void(const FrameKey&, std::span<const Output>)> delivered;
  std::function<void(const Report&)> reported;
  std::function<void(NodeId, const std::string&)> broken;  // an invariant
  std::function<void(NodeId)> calls_itself_hung;           // to others
  std::function<void(NodeId, const std::string&)> stream_ended;
};

class Life : public std::enable_shared_from_this<Life> {
 public:
  Life(Stage& stage, VirtualWires& wires, const MachineSpec& spec, Nature& nature, LifeSees sees);
  ~Life();
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  void begin();  // REQUIRES: made by make_shared
  void freeze();
  void thaw();
  void starve(Duration length) { starved_until_ = stage_.now() + length; }  // its driver's thread

  const Driver& driver() const { return *driver_; }
  const StagedStream* owner() const { return owner_ ? &*owner_ : nullptr; }
  uint64_t life() const { return spec_.node.life; }

 private:
  class Wire;
  class OffsetClock;
  DriverOptions options();
  Result<std::shared_ptr<const Model>> find(const ModelName& name) const;
  Status judge(std::span<const PlanOfModel> held);
  std::vector<std::unique_ptr<Executor>> executors();
  void plan_turn();
  void turn_at(Time when);
  void turn();
  void look_at_stream();

  Stage& stage_;
  VirtualWires& wires_;
  const MachineSpec spec_;
  Nature& nature_;
  const LifeSees sees_;
  Crew crew_;
  Inbox inbox_;
  Outbox outbox_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<OffsetClock> clock_;
  std::unique_ptr<Driver> driver_;
  std::optional<StagedStream> owner_;
  Time starved_until_{}, alarm_at_{};
  bool turn_planned_ = false;
  sim::Random random_;
};

}  // namespace shingle::swarm
