// DriverCluster: machines and their processes, and the record for the verdict: the history of all
// frames, with each delivery compared to the bits that a single machine computes.
#pragma once

#include <set>

#include "sim/history.hpp"
#include "tests/swarm/driver_life.hpp"

namespace shingle::swarm {

class DriverCluster {
 public:
  struct Machine {
    MachineSpec spec;
    Nature nature{};
    bool was_hurt = false;  // a fault hit its executor or its speed: it may say that it hangs
    std::shared_ptr<Life> life{};
  };

  DriverCluster(uint64_t seed, WireOptions wires, std::vector<MachineSpec> specs);
  ~DriverCluster();

  Stage& stage() { return stage_; }
  VirtualWires& wires() { return wires_; }
  Machine& machine(NodeId id) { return *machines_[id.value]; }
  const std::vector<std::unique_ptr<Machine>>& machines() const { return machines_; }

  void start(NodeId id);  // does nothing if a process runs there
  void stop(NodeId id, bool power_gone);
  // For a stream that ended with an error: a person starts the program again.
  void start_again(NodeId owner);

  void run(Time end) { stage_.run(end); }

  // All frames have ended, or their owners have died.
  bool all_ended() const { return under_way_.empty(); }
  const sim::History& history() const { return history_; }
  // From capture to delivery.
  const std::map<FrameKey, Duration>& delays() const { return delays_; }
  struct Ended {
    Time at;
    NodeId owner;
    std::string why;
  };
  const std::vector<Ended>& ended_streams() const { return ended_; }
  std::vector<std::string>& violations() { return violations_; }
  uint64_t hash() const { return hash_; }
  uint64_t switches() const { return switches_; }
  uint64_t lives() const { return lives_; }

 private:
  LifeSees sees(Machine& machine);
  void delivered(const Machine& machine, const FrameKey& key, std::span<const Output> outputs);
  void met(sim::FrameEvent::Kind kind, const FrameKey& key, const std::string& sentence = {});
  void violated(NodeId node, const std::string& what);

  Stage stage_;
  VirtualWires wires_;
  std::vector<std::unique_ptr<Machine>> machines_;  // by id
  sim::History history_;
  std::map<FrameKey, Time> captured_;
  std::set<FrameKey> under_way_;
  std::map<FrameKey, Duration> delays_;
  std::vector<Ended> ended_;
  std::vector<std::string> violations_;
  std::map<std::pair<ModelHash, size_t>, std::map<TensorId, std::vector<std::byte>>> expected_;
  uint64_t hash_ = 0, switches_ = 0, lives_ = 0;
};

}  // namespace shingle::swarm
