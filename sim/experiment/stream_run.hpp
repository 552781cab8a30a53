// StreamRun: one source of an experiment in a run. It captures frames, keeps those that wait, and
// lets a StreamOwner decide all else, as the client library does (apps/client/frame_stream.hpp).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/owner/stream_owner.hpp"
#include "sim/experiment/arrivals.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/results.hpp"

namespace shingle::sim {

// What a stream does with its node.
struct StreamPort {
  std::function<void(const StreamOwner::Loaded&)> propose;
  std::function<void(const PlanHash&)> withdraw;
  // The frame's key; none: the node hangs or is down.
  std::function<std::optional<FrameKey>(const StreamOwner::Loaded&, Duration time_left, Time since)>
      capture;
};

class StreamRun {
 public:
  // All but `port` must outlive it.
  StreamRun(const Experiment& experiment, size_t source, StreamPort port);

  NodeId owner() const { return source().owner; }
  bool is_ready() const { return owner_.is_ready(); }
  void offer_plans();  // once, before all else
  // Frames come from now on, until `end`.
  void begin(Time start, Time end, uint64_t seed);
  // Its owner died, or the nodes gave it up. What is open is lost.
  void stop(Time now, const std::string& sentence);

  Time due() const;    // when act() has something to do; max(): when a report comes
  void act(Time now);  // arrivals, deadlines, plans, and frames that have room
  void hear(const Report& report, Time now);
  bool is_over() const { return stopped_ || (open_.empty() && waiting_.empty()); }

  struct Frame {
    FrameOutcome outcome;
    FrameKey key{};  // of those that were submitted
  };
  std::vector<Frame>& frames() { return frames_; }
  uint64_t switches() const { return counts_.switches; }
  uint64_t searches() const { return counts_.searches; }
  const std::vector<std::string>& events() const { return events_; }

 private:
  const ExperimentSource& source() const { return experiment_.file.sources[index_]; }
  const PlannedSource& planned() const { return experiment_.sources[index_]; }
  bool is_back_to_back() const { return source().arrivals.kind == Arrivals::Kind::back_to_back; }
  void arrive(Time now);
  void submit(Time now);
  void capture_again(Time now);
  void give_up(Time now);
  void look_for_other_plans(Time now);
  void search(Time now);
  void went_over(Time now);
  void say(Time now, const std::string& sentence);
  size_t new_frame(Time now);

  struct Search {
    Time ends{};
    std::optional<StreamOwner::Change> found;
  };
  struct Period {  // in which frames come
    Time start{}, end{};
  };
  struct Counts {
    uint64_t switches = 0, searches = 0;
  };

  const Experiment& experiment_;
  const size_t index_;
  const StreamPort port_;
  StreamOwner owner_;
  std::optional<ArrivalSequence> arrivals_;  // none: it has not begun
  Period period_{};
  // Of frames that come back to back: when each place is free that no open frame has, in order.
  std::deque<Time> free_at_;
  Time next_capture_ = Time::max();
  bool stopped_ = false;
  std::vector<Frame> frames_;
  std::deque<size_t> waiting_, open_;     // in frames_, oldest first; open: submitted, not ended
  std::map<FrameKey, size_t> submitted_;  // attempt 0; in frames_
  std::optional<Search> search_;
  Time next_look_{};
  Counts counts_;
  std::vector<std::string> events_;
};

// "8.400 s".
std::string moment_text(Duration since_start);

}  // namespace shingle::sim
