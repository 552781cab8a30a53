// FrameFollower: finds each frame's path in the trace of a run (frame_path.hpp).
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "sim/experiment/frame_path.hpp"
#include "sim/experiment/machines.hpp"

namespace shingle::sim {

class FrameFollower {
 public:
  explicit FrameFollower(const Experiment& experiment) : alone_(experiment) {}

  struct Expected {
    std::shared_ptr<const LoadedPlan> plan;
    NodeId owner;
    Time since{};  // when the source had it
  };
  // The next frame that is captured is this one.
  void expect(Expected frame);
  // Its key, if it was captured; none: its node did not.
  std::optional<FrameKey> take_captured();

  void on(const TraceEvent& event);  // all events of a run, in their order
  bool has_open() const { return !open_.empty(); }
  // Of a frame that was delivered; else zero.
  CauseTimes causes_of(const FrameKey& key) const;

 private:
  const AloneTimes alone_;
  std::map<PlanHash, std::shared_ptr<const PathPlan>> plans_;
  std::optional<Expected> expected_;
  std::optional<FrameKey> captured_;
  std::map<FrameKey, FramePath> open_;       // attempt 0
  std::map<FrameKey, CauseTimes> finished_;  // attempt 0
};

}  // namespace shingle::sim
